"""Methods of lists, tuples, sets, deques and mappings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint.domain.facts import INTEGER, NO, UNSURE, YES, Truth
from gradlint.domain.joining import summarised, thinned
from gradlint.domain.objects import MAPPINGS, MOST_ITEMS, Container, Iterator
from gradlint.domain.provenance import IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import key_of, one_of
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Bound, Constant, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value, results_of_each
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.iteration import MOST_ELEMENTS, SEQUENCES, iterator, tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.containers import copied, discarded, get_item, keys_of, without
from gradlint.interpreter.python.descriptors import member_of
from gradlint.interpreter.python.mro import field_names, field_of, find_member
from gradlint.interpreter.static.sites import Site

Method = Callable[[Interpreter, Any, Ref, Container, Arguments], Value]
Changing = Callable[[Interpreter, Any, Ref, Container, Arguments], None]
METHODS: dict[str, Method] = {}


def method(*names: str) -> Callable[[Method], Method]:
    """Register what the methods of these names give."""

    def register(known: Method) -> Method:
        METHODS.update(dict.fromkeys(names, known))
        return known

    return register


def changing(*names: str) -> Callable[[Changing], None]:
    """Register what the methods of these names do, which give None."""

    def register(known: Changing) -> None:
        def run(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
            known(m, node, ref, thing, args)
            return NONE_VALUE

        method(*names)(run)

    return register


def call(m: Interpreter, node: Site, ref: Ref, name: str, args: Arguments) -> Value:
    """A method of a container is called."""
    known = METHODS.get(name)
    return Unknown((ref,)) if known is None else known(m, node, ref, m[ref], args)


def _all(thing: Container) -> Value:
    return one_of(thing.held, MOST_ITEMS)


# ---- views


def _over(m: Interpreter, node: Site, ref: Ref, thing: Container, element: Value, by: IteratorKind) -> Value:
    return iterator(m, node, Iterator(element, ref, by, empty=NO if thing.items else UNSURE))


method("values")(lambda m, node, ref, thing, args: _over(m, node, ref, thing, _all(thing), IteratorKind.VALUES))
method("keys", "elements")(
    lambda m, node, ref, thing, args: _over(m, node, ref, thing, keys_of(thing), IteratorKind.KEYS)
)


@method("most_common")
def _most_common(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    return _over(m, node, ref, thing, m.new(node, "pair", _pair(thing)), IteratorKind.ITEMS)


@method("items")
def _items(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    made = _over(m, node, ref, thing, m.new(node, "pair", _pair(thing)), IteratorKind.ITEMS)
    if thing.rest == NOTHING and thing.kind in MAPPINGS and 0 < len(thing.items) <= MOST_ELEMENTS:
        pairs = [tuple_of(m, node, [Constant(key), value], f"pair {at}") for at, (key, value) in enumerate(thing.items)]
        m.update_fields(made, Iterator, listed=containers.container(m, node, "tuple", pairs, "listed"))
    return made


def _pair(thing: Container) -> Container:
    return Container("tuple", items=((0, keys_of(thing)), (1, _all(thing))))


# ---- putting in


changing("append", "add")(lambda m, node, ref, thing, args: containers.append(m, node, ref, args.first))
changing("appendleft")(lambda m, node, ref, thing, args: containers.insert(m, node, ref, args.first, at=0))
changing("extend")(lambda m, node, ref, thing, args: containers.extend(m, node, ref, args.first))


@changing("insert")
def _insert(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> None:
    containers.insert(m, node, ref, args.get("object", 1, UNKNOWN), at=key_of(args.first))


@changing("extendleft", "intersection_update", "difference_update", "symmetric_difference_update")
def _extend_somewhere(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> None:
    m.store(ref, thinned(thing))
    containers.extend(m, node, ref, args.first)
    m.store(ref, thinned(m[ref]))


@changing("update")
def _update(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> None:
    for more in args.positional:
        (containers.merge if thing.kind in MAPPINGS else containers.extend)(m, node, ref, more)
    for key, value in args.keywords.items():
        containers.set_item(m, node, ref, Constant(key), value)


@changing("__setitem__")
def _set_item(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> None:
    containers.set_item(m, node, ref, args.first, args.get("value", 1, UNKNOWN))


# ---- taking out


@method("get")
def _get(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    default = args.get("default", 1, NONE_VALUE)
    if thing.rest == NOTHING and not thing.items:
        return default
    found = get_item(m, ref, thing, args.first, missing=NOTHING)
    return found if _certainly_has(thing, args.first) else one_of((found, default))


@method("setdefault")
def _set_default(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    found = _get(m, node, ref, thing, args)
    if not _certainly_has(thing, args.first):
        containers.set_item(m, node, ref, args.first, found)
    return found


def _certainly_has(thing: Container, key: Value) -> bool:
    constant = key_of(key)
    return constant is not None and any(known == constant for known, _ in thing.items)


method("__getitem__")(lambda m, node, ref, thing, args: get_item(m, ref, thing, args.first))


@method("pop")
def _pop(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    if thing.kind not in MAPPINGS:
        return _take(m, ref, thing, args.first if args.positional else Constant(-1))
    has_default = len(args.positional) > 1
    found = _get(m, node, ref, thing, args) if has_default else get_item(m, ref, thing, args.first)
    m.store(ref, without(thing, key_of(args.first)))
    return found


method("popleft")(lambda m, node, ref, thing, args: _take(m, ref, thing, Constant(0)))


def _take(m: Interpreter, ref: Ref, thing: Container, index: Value) -> Value:
    if thing.kind not in SEQUENCES:
        m.store(ref, thinned(thing))
        return _all(thing)
    found = get_item(m, ref, thing, index)
    m.store(ref, without(thing, key_of(index)))
    return found


@method("popitem")
def _pop_item(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    m.store(ref, thinned(thing))
    return m.new(node, "pair", _pair(thing))


changing("clear")(lambda m, node, ref, thing, args: m.store(ref, replace(thing, items=(), rest=NOTHING, certain=())))
changing("remove", "discard")(lambda m, node, ref, thing, args: m.store(ref, discarded(thing, args.first)))


@changing("sort")
def _sort(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> None:
    """The function by which elements are compared is called on them."""
    whole = summarised(thing)
    m.store(ref, whole)
    if args.keywords.get("key", NONE_VALUE) != NONE_VALUE:
        call_value(m, m.part_of(node, "key"), args.keywords["key"], Arguments([whole.rest]), "")


@changing("rotate", "move_to_end")
def _disorder(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> None:
    m.store(ref, summarised(thing) if thing.kind in SEQUENCES else thing)


@changing("reverse")
def _reverse(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> None:
    turned = tuple(enumerate(value for _, value in reversed(thing.items)))
    m.store(ref, replace(thing, items=turned) if thing.rest == NOTHING else summarised(thing))


# ---- making others


@method("copy", "__copy__", "__reversed__")
def _copy(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    return m.new(node, "copy", copied(m, node, thing) if thing.kind in MAPPINGS else thing)


method("difference", "intersection")(lambda m, node, ref, thing, args: m.new(node, "copy", thinned(thing)))
method("index", "count", "__len__", "total")(lambda m, node, ref, thing, args: PythonNumber(INTEGER))


@method("union")
def _union(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    made = m.new(node, "union", thing)
    for more in args.positional:
        containers.extend(m, node, made, more)
    return made


@method("symmetric_difference")
def _symmetric_difference(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    made = m.new(node, "union", thinned(thing))
    for more in args.positional:
        containers.extend(m, node, made, more)
    return m.new(node, "difference", thinned(m[made]))


# ---- named tuples


@method("_replace")
def _with_fields(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    names = field_names(m, thing)
    items = dict(thing.items) | {names.index(name): value for name, value in args.keywords.items() if name in names}
    return m.new(node, "instance", replace(thing, items=tuple(items.items())))


@method("_asdict")
def _as_dict(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    items = tuple(zip(field_names(m, thing), (value for _, value in thing.items), strict=False))
    return m.new(node, "container", Container("dict", items=items, rest=thing.rest, certain=thing.certain))


@implements(TypeSlot.CALL_METHOD, Container)
def _call_method(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value:
    return one_of(results_of_each(m, owner, Container, lambda ref: call(m, node, ref, method, args)))


@implements(TypeSlot.GET_ATTRIBUTE, Container)
def _get_attribute(m: Interpreter, node: Site, owner: Ref, name: str, chain: str, guard: bool) -> Value:
    """A field of a named tuple, what its class defines, or a method that all containers have."""
    thing: Container = m[owner]
    found = field_of(m, thing, name)
    if found is not None:
        return found
    if type(thing.cls) is not Ref:
        return Bound(owner, name)
    member = find_member(m, thing.cls, name)
    return Bound(owner, name) if member is None else member_of(m, node, owner, member, name)


@implements(TypeSlot.HAS_ATTRIBUTE, Container)
def _has_attribute(m: Interpreter, thing: Container, name: str) -> Truth:
    return YES if name in METHODS else Truth.unsure()
