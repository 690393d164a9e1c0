"""Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict: their parts by index and by key.

The parts stand among a module's attributes in the order in which they were registered; `rest` holds those
whose place is not known. Where the place of one part is lost, the order of all is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradlint.domain import (
    FLOAT,
    INEXACT,
    MOST_ITEMS,
    NO,
    NONE_VALUE,
    NOTHING,
    TRAIN,
    UNKNOWN,
    UNSURE,
    YES,
    Const,
    Container,
    Mark,
    Module,
    Named,
    Plain,
    Ref,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    one_of,
    with_certain,
)
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.iteration import consume, elements, iterator
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.containers import certain as certain_of
from gradlint.interpreter.python.containers import is_slice, key_of
from gradlint.interpreter.python.mro import torch_base

SEQUENCES = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ParameterList"})
MAPPINGS = frozenset({"torch.nn.ModuleDict", "torch.nn.ParameterDict"})
OF_PARAMETERS = frozenset({"torch.nn.ParameterList", "torch.nn.ParameterDict"})

EMPTY: Value = NOTHING

Part = tuple[str, Value]


def base(it: Interpreter, module: Module) -> str:
    """The container of torch that a module is or derives from, or nothing."""
    path = module.cls.path if type(module.cls) is Named else torch_base(it, module.cls)
    return path if path in SEQUENCES or path in MAPPINGS else ""


def parts(it: Interpreter, module: Module) -> list[Part]:
    """What a container of torch holds under known names, in order."""
    kind = Tensor if base(it, module) in OF_PARAMETERS else Module
    return [(str(name), value) for name, value in module.attributes if it.may_be(value, kind)]


def all_parts(it: Interpreter, module: Module) -> Value:
    """Any part of a container of torch; `NOTHING` where it is empty."""
    return one_of([NOTHING, *(value for _, value in parts(it, module)), module.rest], MOST_ITEMS)


@implements(TypeSlot.CERTAIN, Module)
def certain(it: Interpreter, module: Module) -> tuple[Ref, ...]:
    """The parts that certainly come by when something iterates over a container of torch."""
    return () if base(it, module) in ("", *MAPPINGS) else _certain(it, module)


def _certain(it: Interpreter, module: Module) -> tuple[Ref, ...]:
    return with_certain(module.certain, (value for _, value in parts(it, module)))


@implements(TypeSlot.NOT_EMPTY, Module)
def certainly_not_empty(it: Interpreter, module: Module) -> bool:
    """Whether a container of torch has parts."""
    return any(all(type(o) is Ref for o in alternatives(value)) for _, value in parts(it, module))


@implements(TypeSlot.TRUTH, Module)
def truthiness(it: Interpreter, module: Module) -> Truth:
    """Modules count as true, unless they have a length and it is zero."""
    if not base(it, module) or certainly_not_empty(it, module):
        return YES
    return NO if all_parts(it, module) == NOTHING and module.open is NO else UNSURE


@implements(TypeSlot.NEXT, Module)
def iterated(it: Interpreter, node: Any, ref: Ref, module: Module) -> Value:
    """What iterating over a module gives: parts, or the keys of a ModuleDict."""
    path = base(it, module)
    if not path:
        return Unknown((ref,))
    if path in MAPPINGS:
        return keys(it, module)
    found = all_parts(it, module)
    return Unknown((ref,)) if found == NOTHING and module.open.may(YES) else found


def keys(it: Interpreter, module: Module) -> Value:
    """The keys of a ModuleDict."""
    known = [Const(name) for name, _ in parts(it, module)]
    others = [Plain("str")] if module.rest != NOTHING or module.open.may(YES) else [NOTHING]
    return one_of([*known, *others], MOST_ITEMS)


# ---- by index and key


def get_item(it: Interpreter, node: Any, ref: Ref, index: Value) -> Value:
    """`sequential[0]`, `modulelist[-1]`, `modulelist[1:]`, `moduledict["a"]`."""
    module: Module = it[ref]
    if not base(it, module):
        return Unknown((ref,))
    if is_slice(index):
        return _sliced(it, node, module, index)
    found = _place(it, module, index)
    if found is not None:
        return parts(it, module)[found][1]
    some = all_parts(it, module) if not _lacks(it, module, index) else module.rest
    return Unknown((ref,)) if some == NOTHING else some


def _place(it: Interpreter, module: Module, index: Value) -> int | None:
    """Which part a constant index or key means; None where that is not known."""
    key, known = key_of(index), parts(it, module)
    if isinstance(key, str):
        return next((at for at, (name, _) in enumerate(known) if name == key), None)
    if type(key) is not int or module.rest != NOTHING:
        return None
    return key % len(known) if -len(known) <= key < len(known) else None


def _lacks(it: Interpreter, module: Module, index: Value) -> bool:
    """Whether none of the parts with known names is meant."""
    key = key_of(index)
    return isinstance(key, str) and all(name != key for name, _ in parts(it, module))


def _sliced(it: Interpreter, node: Any, module: Module, index: Value) -> Value:
    """A new container of the same class, in training mode, with some of the parts."""
    known = [value for _, value in parts(it, module)]
    if type(index) is Const and module.rest == NOTHING:
        chosen, rest = known[index.value], EMPTY  # type: ignore[call-overload]
    else:
        chosen, rest = [], all_parts(it, module)
    made = Module(cls=module.cls, attributes=tuple((str(at), value) for at, value in enumerate(chosen)), rest=rest,
                  mode=TRAIN, open=module.open, belief=module.belief, marks=(Mark("made", node),))  # fmt: skip
    return it.new(node, "slice", made)


def certainly_lacks(it: Interpreter, module: Module, key: Value) -> bool:
    """Whether `key in moduledict` is certainly false."""
    closed = base(it, module) in MAPPINGS and module.rest == NOTHING and module.open is NO
    return closed and _lacks(it, module, key)


def set_item(it: Interpreter, node: Any, ref: Ref, index: Value, value: Value) -> None:
    """`container[index] = value`."""
    module: Module = it[ref]
    path = base(it, module)
    if not path:
        return
    value = _kept(it, node, path, value)
    known, place = parts(it, module), _place(it, module, index)
    if place is not None:
        name = known[place][0]
        it.put(ref, replace(module, attributes=tuple((k, value if k == name else v) for k, v in module.attributes)))
    elif path in MAPPINGS and isinstance(key := key_of(index), str):
        it.put(ref, replace(module, attributes=(*module.attributes, (key, value))[:MOST_ITEMS]))
    else:
        unclear = {name for name, _ in known} if not _lacks(it, module, index) else set()
        either = tuple((k, one_of((v, value)) if k in unclear else v) for k, v in module.attributes)
        there = with_certain((), [value])  # what it takes the place of is not there any more
        it.put(ref, replace(module, attributes=either, rest=one_of((module.rest, value), MOST_ITEMS), certain=there))


def name_at(it: Interpreter, module: Module, index: Value) -> str | None:
    """The name of the part that certainly stands at this index or under this key."""
    place = _place(it, module, index) if base(it, module) else None
    return None if place is None else str(parts(it, module)[place][0])


def delete_item(it: Interpreter, ref: Ref, index: Value) -> None:
    """`del container[index]`."""
    module: Module = it[ref]
    known, place = parts(it, module), _place(it, module, index)
    if place is None:
        it.put(ref, _with_parts(it, module, [], all_parts(it, module)))
    elif base(it, module) in MAPPINGS:
        it.put(ref, replace(module, attributes=tuple((k, v) for k, v in module.attributes if k != known[place][0])))
    else:
        it.put(ref, _with_parts(it, module, [value for at, (_, value) in enumerate(known) if at != place]))


def _with_parts(
    it: Interpreter, module: Module, values: Sequence[Value], rest: Value = NOTHING, certain: tuple[Ref, ...] = ()
) -> Module:
    """The container with these parts, numbered anew, and what else it holds, of which these certainly."""
    own = {name for name, _ in parts(it, module)}
    plain = tuple((name, value) for name, value in module.attributes if name not in own)
    numbered = tuple((str(at), value) for at, value in enumerate(values))
    if len(numbered) > MOST_ITEMS:
        numbered, rest, certain = (), one_of([*values, rest], MOST_ITEMS), with_certain(certain, values)
    return replace(module, attributes=(*plain, *numbered), rest=rest, certain=certain)


def _kept(it: Interpreter, node: Any, path: str, value: Value) -> Value:
    """A ParameterList and a ParameterDict make parameters of tensors."""
    tensor = it.only(value, Tensor)
    if path not in OF_PARAMETERS or tensor is None or tensor.parameter is YES:
        return value
    made = it.new(node, "kept", replace(tensor, requires_grad=YES, leaf=YES, parameter=YES, node=(), base=(),
                  dtype=tensor.dtype & INEXACT if tensor.dtype.may(FLOAT) else tensor.dtype, made="Parameter",
                  marks=(Mark("made", node), Mark("asked", node))))  # fmt: skip
    return made if tensor.parameter is NO else one_of((value, made))


# ---- filling


Parts = tuple[tuple[Part, ...], Value, tuple[Ref, ...]]
"""Parts with names, all others in one, and what certainly is among these."""


def filled(it: Interpreter, node: Any, path: str, args: Arguments) -> Parts:
    """The parts that a container of torch is made with."""
    if path == "torch.nn.Sequential" and not (len(args.positional) == 1 and it.may_be(args.positional[0], Container)):
        given = [*args.positional, *args.keywords.values()]
        if args.unknown:
            return (), one_of([NOTHING, *given], MOST_ITEMS), args.certain
        return tuple((str(at), value) for at, value in enumerate(given)), NOTHING, ()
    value = next(iter(args.values()), NONE_VALUE)
    found, rest, certain = _given(it, node, value)
    kept = tuple((name, _kept(it, it.place_of(node, name), path, part)) for name, part in found)
    if rest == NOTHING:
        return kept, rest, ()
    held = _kept(it, node, path, rest)
    return kept, held, certain if held == rest else with_certain((), [held])


def _given(it: Interpreter, node: Any, value: Value) -> Parts:
    """The parts in a list, a dict, an iterable or another module."""
    thing = it.only(value, Container)
    if thing is not None:
        return tuple((str(key), part) for key, part in thing.items), thing.rest, thing.certain
    module = it.only(value, Module)
    if module is not None:
        return tuple(parts(it, module)), module.rest, module.certain
    if value == NONE_VALUE:
        return (), NOTHING, ()
    some, there = elements(it, node, value), certain_of(it, value)
    consume(it, node, value, "module list")
    pair = it.only(some, Container)
    return (), dict(pair.items).get(1, UNKNOWN) if pair is not None else some, there


def _append(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    _more(it, node, ref, args.positional[:1], NOTHING, ())
    return ref


def _extend(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    found, rest, certain = _given(it, node, args.values()[0] if args.values() else NONE_VALUE)
    _more(it, node, ref, [value for _, value in found], rest, certain)
    return ref


def _more(it: Interpreter, node: Any, ref: Ref, values: Sequence[Value], rest: Value, certain: tuple[Ref, ...]) -> None:
    """More parts at the end."""
    module: Module = it[ref]
    path = base(it, module)
    new = [_kept(it, it.place_of(node, str(at)), path, value) for at, value in enumerate(values)]
    known = [value for _, value in parts(it, module)]
    if rest == NOTHING and module.rest == NOTHING:
        added = tuple((str(len(known) + at), value) for at, value in enumerate(new))
        it.put(ref, replace(module, attributes=(*module.attributes, *added)))
    else:
        there = with_certain((*module.certain, *certain), new)
        it.put(ref, _with_parts(it, module, known, one_of([module.rest, *new, rest], MOST_ITEMS), there))


def _insert(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    module: Module = it[ref]
    at, value = key_of(args.get("index", 0, UNKNOWN)), args.get("module", 1, UNKNOWN)
    known = [value for _, value in parts(it, module)]
    if type(at) is int and module.rest == NOTHING:
        known.insert(at, value)
        it.put(ref, _with_parts(it, module, known))
    else:
        there = with_certain(module.certain, [*known, value])
        it.put(ref, _with_parts(it, module, [], one_of([*known, value, module.rest], MOST_ITEMS), there))
    return ref if base(it, module) == "torch.nn.Sequential" else NONE_VALUE


def _pop(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    index = args.get("key", 0, Const(-1))
    found = get_item(it, node, ref, index)
    delete_item(it, ref, index)
    return found


def _update(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    found, rest, _ = _given(it, node, args.get("modules", 0, NONE_VALUE))
    for name, value in found:
        set_item(it, it.place_of(node, name), ref, Const(name), value)
    if rest != NOTHING:
        set_item(it, node, ref, UNKNOWN, rest)
    return NONE_VALUE


def _clear(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    it.put(ref, _with_parts(it, it[ref], []))
    return NONE_VALUE


# ---- looking through


def _keys(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    return iterator(it, node, keys(it, it[ref]), "keys()", empty=_empty(it, ref), source=ref)


def _values(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    held = all_parts(it, it[ref])
    return iterator(it, node, held, "values()", empty=_empty(it, ref), source=ref, certain=_certain(it, it[ref]))


def _items(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    module: Module = it[ref]
    pair = it.new(node, "pair", Container("tuple", items=((0, keys(it, module)), (1, all_parts(it, module)))))
    return iterator(it, node, pair, "items()", empty=_empty(it, ref), source=ref, certain=_certain(it, module))


def _empty(it: Interpreter, ref: Ref) -> Truth:
    return NO if certainly_not_empty(it, it[ref]) else UNSURE


def _get(it: Interpreter, node: Any, ref: Ref, args: Arguments) -> Value:
    key, default = args.get("key", 0, UNKNOWN), args.get("default", 1, NONE_VALUE)
    if certainly_lacks(it, it[ref], key):
        return default
    found = get_item(it, node, ref, key)
    return found if _place(it, it[ref], key) is not None else one_of((found, default))


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


def call_method(it: Interpreter, node: Any, owner: Value, name: str, args: Arguments) -> Value | None:
    """A method of a container of torch; None for what is none, or has no such method."""
    known = METHODS.get(name)
    found = it.all(owner, Module)
    if known is None or not all(base(it, module) for _, module in found):
        return None
    results: list[Value] = []
    for ref in it.one_of_these(owner, Module):
        start = it.hold(ref, *results)
        result = known(it, node, ref, args)
        results = [*it.land(start)[1:], result]
    return one_of(results, MOST_ITEMS)


def added(it: Interpreter, node: Any, left: Value, right: Value, *, in_place: bool) -> Value | None:
    """`sequential + sequential`, `modulelist += modules`; None where no container of torch is added to."""
    module = it.only(left, Module)
    if module is None or not base(it, module):
        return None
    target = left if in_place else it.new(node, "sum", replace(module, mode=TRAIN, marks=(Mark("made", node),)))
    for ref in it.one_of_these(target, Module):
        _extend(it, node, ref, Arguments([right]))
    return target
