"""Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict: their parts by index and by key.

The parts stand among a module's attributes in the order in which they were registered; `rest` holds those
whose place is not known. Where the place of one part is lost, the order of all is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradlint.domain.facts import FLOAT, INEXACT, NO, TRAIN, UNSURE, YES, Truth
from gradlint.domain.objects import MOST_ITEMS, Container, Iterator, Module, Tensor
from gradlint.domain.provenance import Cause, CauseKind, IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, key_of, one_of, with_certain
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, PlainObject, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import results_of_each
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.iteration import MOST_ELEMENTS, consume, elements, iterator, run_through, tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.nn.unknown_parts import taken_as_part
from gradlint.interpreter.python.containers import certain as certain_of
from gradlint.interpreter.python.containers import container, is_slice
from gradlint.interpreter.python.mro import torch_base
from gradlint.interpreter.static.sites import Site

SEQUENCES = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ParameterList"})
MAPPINGS = frozenset({"torch.nn.ModuleDict", "torch.nn.ParameterDict"})
OF_PARAMETERS = frozenset({"torch.nn.ParameterList", "torch.nn.ParameterDict"})

EMPTY: Value = NOTHING

Part = tuple[str, Value]


def base(m: Interpreter, module: Module) -> str:
    """The container of torch that a module is or derives from, or nothing."""
    path = torch_base(m, module.cls)
    return path if path in SEQUENCES or path in MAPPINGS else ""


def parts(m: Interpreter, module: Module) -> list[Part]:
    """Return the parts of a container of torch that have known names, in order."""
    kind = Tensor if base(m, module) in OF_PARAMETERS else Module
    return [(str(name), value) for name, value in module.attributes if m.may_be(value, kind)]


def all_parts(m: Interpreter, module: Module) -> Value:
    """Any part of a container of torch; `NOTHING` where it is empty."""
    return one_of([NOTHING, *(value for _, value in parts(m, module)), module.rest], MOST_ITEMS)


@implements(TypeSlot.CERTAIN, Module)
def certain(m: Interpreter, module: Module) -> tuple[Ref, ...]:
    """The parts that certainly come by when something iterates over a container of torch."""
    return () if base(m, module) in ("", *MAPPINGS) else _certain(m, module)


def _certain(m: Interpreter, module: Module) -> tuple[Ref, ...]:
    return with_certain(module.certain, (value for _, value in parts(m, module)))


@implements(TypeSlot.NOT_EMPTY, Module)
def certainly_not_empty(m: Interpreter, module: Module) -> bool:
    """Return whether a container of torch has parts."""
    named = any(all(type(o) is Ref for o in alternatives(value)) for _, value in parts(m, module))
    return named or len(_certain(m, module)) > 0


@implements(TypeSlot.TRUTH, Module)
def truthiness(m: Interpreter, module: Module) -> Truth:
    """Modules count as true, unless they have a length and it is zero."""
    if not base(m, module) or certainly_not_empty(m, module):
        return YES
    return NO if all_parts(m, module) == NOTHING and module.open is NO else UNSURE


@implements(TypeSlot.NEXT, Module)
def iterated(m: Interpreter, node: Site, ref: Ref, module: Module) -> Value:
    """Return the elements of an iteration over a module: parts, or the keys of a ModuleDict."""
    path = base(m, module)
    if not path:
        return Unknown((ref,))
    if path in MAPPINGS:
        return keys(m, module)
    found = all_parts(m, module)
    return Unknown((ref,)) if found == NOTHING and module.open.may(YES) else found


def keys(m: Interpreter, module: Module) -> Value:
    """The keys of a ModuleDict."""
    known = [Constant(name) for name, _ in parts(m, module)]
    others = [PlainObject("str")] if module.rest != NOTHING or module.open.may(YES) else [NOTHING]
    return one_of([*known, *others], MOST_ITEMS)


# ---- by index and key


def get_item(m: Interpreter, node: Site, ref: Ref, index: Value) -> Value:
    """`sequential[0]`, `modulelist[-1]`, `modulelist[1:]`, `moduledict["a"]`."""
    module: Module = m[ref]
    if not base(m, module):
        return Unknown((ref,))
    if is_slice(index):
        return _sliced(m, node, module, index)
    found = _place(m, module, index)
    if found is not None:
        return parts(m, module)[found][1]
    some = all_parts(m, module) if not _lacks(m, module, index) else module.rest
    return Unknown((ref,)) if some == NOTHING else some


def _place(m: Interpreter, module: Module, index: Value) -> int | None:
    """Return the position of the part that a constant index or key means; None where it is not known."""
    key, known = key_of(index), parts(m, module)
    if isinstance(key, str):
        return next((at for at, (name, _) in enumerate(known) if name == key), None)
    if type(key) is not int or module.rest != NOTHING:
        return None
    return key % len(known) if -len(known) <= key < len(known) else None


def _lacks(m: Interpreter, module: Module, index: Value) -> bool:
    """Return whether none of the parts with known names is meant."""
    key = key_of(index)
    return isinstance(key, str) and all(name != key for name, _ in parts(m, module))


def _sliced(m: Interpreter, node: Site, module: Module, index: Value) -> Value:
    """A new container of the same class, in training mode, with some of the parts."""
    known = [value for _, value in parts(m, module)]
    if type(index) is Constant and isinstance(index.value, slice) and module.rest == NOTHING:
        chosen, rest = known[index.value], EMPTY
    else:
        chosen, rest = [], all_parts(m, module)
    made = Module(
        cls=module.cls,
        attributes=tuple((str(at), value) for at, value in enumerate(chosen)),
        rest=rest,
        mode=TRAIN,
        open=module.open,
        belief=module.belief,
        causes=(Cause(CauseKind.MADE, node),),
    )
    return m.new(node, "slice", made)


def certainly_lacks(m: Interpreter, module: Module, key: Value) -> bool:
    """Return whether `key in moduledict` is certainly false."""
    closed = base(m, module) in MAPPINGS and module.rest == NOTHING and module.open is NO
    return closed and _lacks(m, module, key)


def set_item(m: Interpreter, node: Site, ref: Ref, index: Value, value: Value) -> None:
    """`container[index] = value`."""
    path = base(m, m[ref])
    if not path:
        return
    value = as_part(m, node, path, value)
    module: Module = m[ref]  # whose parts may have grown older
    known, place = parts(m, module), _place(m, module, index)
    if place is not None:
        name = known[place][0]
        m.store(ref, replace(module, attributes=tuple((k, value if k == name else v) for k, v in module.attributes)))
    elif path in MAPPINGS and isinstance(key := key_of(index), str):
        m.store(ref, replace(module, attributes=(*module.attributes, (key, value))[:MOST_ITEMS]))
    else:
        unclear = {name for name, _ in known} if not _lacks(m, module, index) else set()
        either = tuple((k, one_of((v, value)) if k in unclear else v) for k, v in module.attributes)
        there = with_certain((), [value])  # what it takes the place of is not there any more
        m.store(ref, replace(module, attributes=either, rest=one_of((module.rest, value), MOST_ITEMS), certain=there))


def name_at(m: Interpreter, module: Module, index: Value) -> str | None:
    """The name of the part that certainly stands at this index or under this key."""
    place = _place(m, module, index) if base(m, module) else None
    return None if place is None else str(parts(m, module)[place][0])


def delete_item(m: Interpreter, ref: Ref, index: Value) -> None:
    """`del container[index]`."""
    module: Module = m[ref]
    known, place = parts(m, module), _place(m, module, index)
    if place is None:
        m.store(ref, _with_parts(m, module, [], all_parts(m, module)))
    elif base(m, module) in MAPPINGS:
        m.store(ref, replace(module, attributes=tuple((k, v) for k, v in module.attributes if k != known[place][0])))
    else:
        m.store(ref, _with_parts(m, module, [value for at, (_, value) in enumerate(known) if at != place]))


def _with_parts(
    m: Interpreter, module: Module, values: Sequence[Value], rest: Value = NOTHING, certain: tuple[Ref, ...] = ()
) -> Module:
    """The container with these parts, numbered anew, and what else it holds, of which these certainly."""
    own = {name for name, _ in parts(m, module)}
    plain = tuple((name, value) for name, value in module.attributes if name not in own)
    numbered = tuple((str(at), value) for at, value in enumerate(values))
    if len(numbered) > MOST_ITEMS:
        numbered, rest, certain = (), one_of([*values, rest], MOST_ITEMS), with_certain(certain, values)
    return replace(module, attributes=(*plain, *numbered), rest=rest, certain=certain)


def as_part(m: Interpreter, node: Site, path: str, value: Value) -> Value:
    """A ParameterList and a ParameterDict make parameters of tensors; what else takes modules takes nothing else."""
    if path not in OF_PARAMETERS:
        return taken_as_part(m, node, value, Module, "unseen part")
    if type(value) is Unknown:
        made = taken_as_part(m, node, value, Tensor, "unseen part")
        m.update_fields(made, Tensor, requires_grad=YES, leaf=YES)  # as of a network that nobody shows
        return made
    tensor = m.only(value, Tensor)
    if tensor is None or tensor.parameter is YES:
        return value
    made = m.new(node, "kept", replace(tensor, requires_grad=YES, leaf=YES, parameter=YES, node=(), base=(),
                  dtype=tensor.dtype & INEXACT if tensor.dtype.may(FLOAT) else tensor.dtype, made="Parameter",
                  causes=(Cause(CauseKind.MADE, node), Cause(CauseKind.ASKED, node))))  # fmt: skip
    return made if tensor.parameter is NO else one_of((value, made))


# ---- filling


Parts = tuple[tuple[Part, ...], Value, tuple[Ref, ...]]
"""Parts with names, all others in one, and what certainly is among these."""


def filled(m: Interpreter, node: Site, path: str, args: Arguments) -> Parts:
    """The parts that a container of torch is made with."""
    if path == "torch.nn.Sequential" and not (len(args.positional) == 1 and m.may_be(args.positional[0], Container)):
        given = [*args.positional, *args.keywords.values()]
        if args.unknown:
            return (), *_held(m, node, path, one_of([NOTHING, *given], MOST_ITEMS), args.certain)
        found = tuple((str(at), as_part(m, m.part_of(node, str(at)), path, value)) for at, value in enumerate(given))
        return found, NOTHING, ()
    value = next(iter(args.values()), NONE_VALUE)
    found, rest, certain = _given(m, node, value)
    kept = tuple((name, as_part(m, m.part_of(node, name), path, part)) for name, part in found)
    if rest == NOTHING:
        return kept, rest, ()
    return kept, *_held(m, node, path, rest, certain)


def _held(
    m: Interpreter, node: Site, path: str, rest: Value, certain: tuple[Ref, ...]
) -> tuple[Value, tuple[Ref, ...]]:
    """Return the other contents of a new container, as parts, and those that are certain."""
    held = as_part(m, node, path, rest)
    return held, certain if held == rest else with_certain(certain, [held])


def _given(m: Interpreter, node: Site, value: Value) -> Parts:
    """The parts in a list, a dict, an iterable or another module."""
    thing = m.only(value, Container)
    if thing is not None:
        return tuple((str(key), part) for key, part in thing.items), thing.rest, thing.certain
    module = m.only(value, Module)
    if module is not None:
        return tuple(parts(m, module)), module.rest, module.certain
    if value == NONE_VALUE:
        return (), NOTHING, ()
    known, (value,) = m.keeping(lambda: run_through(m, node, value, "module list"), value)
    if known is not None:
        named = [_part(m, at, one) for at, one in enumerate(known)]
        held = [part for _, part in named]
        return (tuple(named), NOTHING, ()) if all(name for name, _ in named) else ((), one_of(held, MOST_ITEMS), ())
    some, there = elements(m, node, value), certain_of(m, value)
    consume(m, node, value, "module list")
    pair = m.only(some, Container)
    return (), dict(pair.items).get(1, UNKNOWN) if pair is not None else some, there


def _part(m: Interpreter, at: int, given: Value) -> Part:
    """Return the part at a place, or under the name that is given with it (nothing where that is not known)."""
    pair = m.only(given, Container)
    if pair is None or len(pair.items) != 2:
        return str(at), given
    (_, name), (_, part) = pair.items
    return str(name.value) if type(name) is Constant else "", part


def _append(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    _more(m, node, ref, args.positional[:1], NOTHING, ())
    return ref


def _extend(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    found, rest, certain = _given(m, node, args.values()[0] if args.values() else NONE_VALUE)
    _more(m, node, ref, [value for _, value in found], rest, certain)
    return ref


def _more(m: Interpreter, node: Site, ref: Ref, values: Sequence[Value], rest: Value, certain: tuple[Ref, ...]) -> None:
    """More parts at the end."""
    path, start = base(m, m[ref]), m.push(*values, rest)
    for at in range(len(values)):
        m.state.stack[start + at] = as_part(m, m.part_of(node, str(at)), path, m.state.stack[start + at])
    *new, rest = m.pop_from(start)
    module: Module = m[ref]
    known = [value for _, value in parts(m, module)]
    if rest == NOTHING and module.rest == NOTHING:
        added = tuple((str(len(known) + at), value) for at, value in enumerate(new))
        m.store(ref, replace(module, attributes=(*module.attributes, *added)))
    else:
        there = with_certain((*module.certain, *certain), new)
        m.store(ref, _with_parts(m, module, known, one_of([module.rest, *new, rest], MOST_ITEMS), there))


def _insert(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    value = as_part(m, node, base(m, m[ref]), args.get("module", 1, UNKNOWN))
    module: Module = m[ref]
    at = key_of(args.get("index", 0, UNKNOWN))
    known = [value for _, value in parts(m, module)]
    if type(at) is int and module.rest == NOTHING:
        known.insert(at, value)
        m.store(ref, _with_parts(m, module, known))
    else:
        there = with_certain(module.certain, [*known, value])
        m.store(ref, _with_parts(m, module, [], one_of([*known, value, module.rest], MOST_ITEMS), there))
    return ref if base(m, module) == "torch.nn.Sequential" else NONE_VALUE


def _pop(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    index = args.get("key", 0, Constant(-1))
    found = get_item(m, node, ref, index)
    delete_item(m, ref, index)
    return found


def _update(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    found, rest, _ = _given(m, node, args.get("modules", 0, NONE_VALUE))
    for name, value in found:
        set_item(m, m.part_of(node, name), ref, Constant(name), value)
    if rest != NOTHING:
        set_item(m, node, ref, UNKNOWN, rest)
    return NONE_VALUE


def _clear(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    m.store(ref, _with_parts(m, m[ref], []))
    return NONE_VALUE


# ---- looking through


def _keys(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    entries = _entries(m, m[ref])
    listed = container(m, node, "tuple", [Constant(name) for name, _ in entries], "listed") if entries else UNKNOWN
    return iterator(m, node, Iterator(keys(m, m[ref]), ref, IteratorKind.KEYS, empty=_empty(m, ref), listed=listed))


def _values(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    held = all_parts(m, m[ref])
    entries = _entries(m, m[ref])
    listed = container(m, node, "tuple", [part for _, part in entries], "listed") if entries else UNKNOWN
    made = Iterator(held, ref, IteratorKind.VALUES, empty=_empty(m, ref), listed=listed, certain=_certain(m, m[ref]))
    return iterator(m, node, made)


def _items(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    module: Module = m[ref]
    pair = tuple_of(m, node, [keys(m, module), all_parts(m, module)])
    entries = _entries(m, module)
    pairs = [tuple_of(m, node, [Constant(name), part], f"pair {at}") for at, (name, part) in enumerate(entries)]
    listed = container(m, node, "tuple", pairs, "listed") if pairs else UNKNOWN
    made = Iterator(pair, ref, IteratorKind.ITEMS, empty=_empty(m, ref), listed=listed, certain=_certain(m, module))
    return iterator(m, node, made)


def _entries(m: Interpreter, module: Module) -> list[Part]:
    """The names and parts of a mapping, where these are known and few; otherwise none."""
    known = parts(m, module)
    whole = module.rest == NOTHING and module.open is NO and all(type(part) is Ref for _, part in known)
    return known if whole and len(known) <= MOST_ELEMENTS else []


def _empty(m: Interpreter, ref: Ref) -> Truth:
    return NO if certainly_not_empty(m, m[ref]) else UNSURE


def _get(m: Interpreter, node: Site, ref: Ref, args: Arguments) -> Value:
    key, default = args.get("key", 0, UNKNOWN), args.get("default", 1, NONE_VALUE)
    if certainly_lacks(m, m[ref], key):
        return default
    found = get_item(m, node, ref, key)
    return found if _place(m, m[ref], key) is not None else one_of((found, default))


METHODS: dict[str, Callable[[Interpreter, Any, Ref, Arguments], Value]] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "update": _update,
    "clear": _clear,
    "keys": _keys,
    "values": _values,
    "items": _items,
    "get": _get,
}
"""Methods of the containers of torch, beside those that every module has."""


def call_method(m: Interpreter, node: Site, owner: Value, name: str, args: Arguments) -> Value | None:
    """A method of a container of torch; None for what is none, or has no such method."""
    known = METHODS.get(name)
    found = m.all(owner, Module)
    if known is None or not all(base(m, module) for _, module in found):
        return None
    return one_of(results_of_each(m, owner, Module, lambda ref: known(m, node, ref, args)), MOST_ITEMS)


def added(m: Interpreter, node: Site, left: Value, right: Value, *, in_place: bool) -> Value | None:
    """`sequential + sequential`, `modulelist += modules`; None where no container of torch is added to."""
    module = m.only(left, Module)
    if module is None or not base(m, module):
        return None
    target = (
        left if in_place else m.new(node, "sum", replace(module, mode=TRAIN, causes=(Cause(CauseKind.MADE, node),)))
    )
    for ref in m.one_of_these(target, Module):
        _extend(m, node, ref, Arguments([right]))
    return target
