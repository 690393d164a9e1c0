"""Methods of lists, tuples, sets, deques and mappings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint.domain import (
    INTEGER,
    MAPPINGS,
    MOST_ITEMS,
    NO,
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    UNSURE,
    YES,
    Bound,
    Const,
    Container,
    Iterator,
    Ref,
    Scalar,
    Truth,
    Unknown,
    Value,
    one_of,
    summarised,
    thinned,
)
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.iteration import SEQUENCES, iterator
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.containers import copied, get_item, key_of, keys_of, without
from gradlint.interpreter.python.descriptors import member_of
from gradlint.interpreter.python.mro import field_names, field_of, find_member
from gradlint.interpreter.static.sites import Site

Method = Callable[[Interpreter, Any, Ref, Container, Arguments], Value]
METHODS: dict[str, Method] = {}


def method(*names: str) -> Callable[[Method], Method]:
    """Register what the methods of these names do."""

    def register(known: Method) -> Method:
        for name in names:
            METHODS[name] = known
        return known

    return register


def call(m: Interpreter, node: Site, ref: Ref, name: str, args: Arguments) -> Value:
    """A method of a container is called."""
    known = METHODS.get(name)
    return Unknown((ref,)) if known is None else known(m, node, ref, m[ref], args)


def _first(args: Arguments) -> Value:
    return args.positional[0] if args.positional else UNKNOWN


def _all(thing: Container) -> Value:
    return one_of([*(value for _, value in thing.items), thing.rest], MOST_ITEMS)


# ---- views


@method("values")
def _values(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    return iterator(m, node, Iterator(_all(thing), ref, "values()", empty=NO if thing.items else UNSURE))


@method("keys", "elements")
def _keys(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    return iterator(m, node, Iterator(keys_of(thing), ref, "keys()", empty=NO if thing.items else UNSURE))


@method("items", "most_common")
def _items(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    pair = m.new(node, "pair", Container("tuple", items=((0, keys_of(thing)), (1, _all(thing)))))
    return iterator(m, node, Iterator(pair, ref, "items()", empty=NO if thing.items else UNSURE))


# ---- putting in


@method("append", "add")
def _append(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    containers.append(m, node, ref, _first(args))
    return NONE_VALUE


@method("appendleft")
def _append_left(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    containers.insert(m, node, ref, _first(args), at=0)
    return NONE_VALUE


@method("insert")
def _insert(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    containers.insert(m, node, ref, args.get("object", 1, UNKNOWN), at=key_of(_first(args)))
    return NONE_VALUE


@method("extend")
def _extend(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    containers.extend(m, node, ref, _first(args))
    return NONE_VALUE


@method("extendleft", "intersection_update", "difference_update", "symmetric_difference_update")
def _extend_somewhere(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    m.store(ref, thinned(thing))
    containers.extend(m, node, ref, _first(args))
    return NONE_VALUE


@method("update")
def _update(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    for more in args.positional:
        (containers.merge if thing.kind in MAPPINGS else containers.extend)(m, node, ref, more)
    for key, value in args.keywords.items():
        containers.set_item(m, node, ref, Const(key), value)
    return NONE_VALUE


@method("__setitem__")
def _set_item(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    containers.set_item(m, node, ref, _first(args), args.get("value", 1, UNKNOWN))
    return NONE_VALUE


# ---- taking out


@method("get")
def _get(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    default = args.get("default", 1, NONE_VALUE)
    if thing.rest == NOTHING and not thing.items:
        return default
    found = get_item(m, ref, thing, _first(args), missing=NOTHING)
    return found if _certainly_has(thing, _first(args)) else one_of((found, default))


@method("setdefault")
def _set_default(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    found = _get(m, node, ref, thing, args)
    if not _certainly_has(thing, _first(args)):
        containers.set_item(m, node, ref, _first(args), found)
    return found


def _certainly_has(thing: Container, key: Value) -> bool:
    constant = key_of(key)
    return constant is not None and any(known == constant for known, _ in thing.items)


@method("__getitem__")
def _get_item(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    return get_item(m, ref, thing, _first(args))


@method("pop")
def _pop(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    if thing.kind not in MAPPINGS:
        return _take(m, ref, thing, _first(args) if args.positional else Const(-1))
    has_default = len(args.positional) > 1
    found = _get(m, node, ref, thing, args) if has_default else get_item(m, ref, thing, _first(args))
    m.store(ref, without(thing, key_of(_first(args))))
    return found


@method("popleft")
def _pop_left(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    return _take(m, ref, thing, Const(0))


def _take(m: Interpreter, ref: Ref, thing: Container, index: Value) -> Value:
    if thing.kind not in SEQUENCES:
        return _all(thing)
    found = get_item(m, ref, thing, index)
    m.store(ref, without(thing, key_of(index)))
    return found


@method("popitem")
def _pop_item(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    pair = Container("tuple", items=((0, keys_of(thing)), (1, _all(thing))))
    m.store(ref, thinned(thing))
    return m.new(node, "pair", pair)


@method("clear")
def _clear(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    m.store(ref, replace(thing, items=(), rest=NOTHING, certain=()))
    return NONE_VALUE


@method("sort")
def _sort(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    """The function by which elements are compared is called on them."""
    whole = summarised(thing)
    m.store(ref, whole)
    if args.keywords.get("key", NONE_VALUE) != NONE_VALUE:
        call_value(m, m.part_of(node, "key"), args.keywords["key"], Arguments([whole.rest]), "")
    return NONE_VALUE


@method("remove", "discard")
def _remove(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    m.store(ref, thinned(thing))
    return NONE_VALUE


@method("rotate", "move_to_end")
def _disorder(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    m.store(ref, summarised(thing) if thing.kind in SEQUENCES else thing)
    return NONE_VALUE


@method("reverse")
def _reverse(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    turned = tuple(enumerate(value for _, value in reversed(thing.items)))
    m.store(ref, replace(thing, items=turned) if thing.rest == NOTHING else summarised(thing))
    return NONE_VALUE


# ---- making others


@method("copy", "__copy__", "__reversed__")
def _copy(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    return m.new(node, "copy", copied(m, node, thing) if thing.kind in MAPPINGS else thing)


@method("difference", "intersection")
def _some(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    return m.new(node, "copy", thinned(thing))


@method("union", "symmetric_difference")
def _union(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    made = m.new(node, "union", thing)
    for more in args.positional:
        containers.extend(m, node, made, more)
    return made


@method("index", "count", "__len__", "total")
def _number(m: Interpreter, node: Site, ref: Ref, thing: Container, args: Arguments) -> Value:
    return Scalar(INTEGER)


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
    results: list[Value] = []
    for ref in m.one_of_these(owner, Container):
        start = m.push(ref, *results)
        result = call(m, node, ref, method, args)
        results = [*m.pop_from(start)[1:], result]
    return one_of(results)


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
