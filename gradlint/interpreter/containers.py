"""Containers and iterators: what they hold, what iterating over something gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint import events
from gradlint.domain import (
    INTEGER,
    MAPPINGS,
    MOST_ITEMS,
    NO,
    NOTHING,
    UNKNOWN,
    UNSURE,
    YES,
    Array,
    Const,
    Container,
    Iterator,
    Module,
    Plain,
    Ref,
    Scalar,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    one_of,
    summarised,
)
from gradlint.domain.changing import replace
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.recording import apply
from gradlint.knowledge import OPERATIONS

SEQUENCES = frozenset({"list", "tuple", "deque"})


def container(it: Interpreter, node: Any, kind: str, values: Sequence[Value], part: str = "container") -> Ref:
    """A new sequence of these values."""
    if len(values) > MOST_ITEMS:
        return it.new(node, part, Container(kind, rest=one_of(values)))
    return it.new(node, part, Container(kind, items=tuple(enumerate(values))))


def elements(it: Interpreter, node: Any, value: Value) -> Value:
    """What iterating over a value gives, all elements in one."""
    return one_of([_elements(it, node, option) for option in alternatives(value)], MOST_ITEMS)


def _elements(it: Interpreter, node: Any, value: Value) -> Value:
    thing = it.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is Container:
        if thing.kind in MAPPINGS:
            keys = [Const(key) for key, _ in thing.items]
            return one_of([*keys, UNKNOWN] if thing.rest != NOTHING else keys or [NOTHING])
        return one_of([*(v for _, v in thing.items), thing.rest], MOST_ITEMS)
    if type(thing) is Iterator:
        return NOTHING if thing.used is YES else thing.element
    if type(thing) is Tensor:
        return value if thing.many and thing.loose else rows(it, node, value)
    if type(thing) is Module:
        from gradlint.interpreter.module_containers import iterated

        return iterated(it, value, thing)  # type: ignore[arg-type]
    if type(thing) is Array:
        return Scalar(thing.dtype)
    if type(value) is Const and isinstance(value.value, (str, bytes)):
        return Plain("str")
    if type(value) is Plain:
        return ELEMENTS.get(value.kind, UNKNOWN)
    if type(value) is Unknown:
        return value
    return Unknown((value,)) if type(value) is Ref else UNKNOWN


ELEMENTS: dict[str, Value] = {"range": Scalar(INTEGER), "Size": Scalar(INTEGER), "str": Plain("str")}
"""What the elements of Python objects are that hold no tensors."""


def rows(it: Interpreter, node: Any, value: Value) -> Value:
    """Iterating over a tensor gives views of its rows."""
    row = OPERATIONS["torch.Tensor.unbind"]
    listed = apply(it, node, row, [(row.parameters[0], value)], part="rows ")
    return _elements(it, node, listed) if it.may_be(listed, Container) else listed


def unpacked(it: Interpreter, node: Any, value: Value, count: int) -> list[Value]:
    """The values that unpacking into `count` targets gives."""
    out: list[list[Value]] = [[] for _ in range(count)]
    for option in alternatives(value):
        thing = it.state.heap.get(option) if type(option) is Ref else None
        if type(thing) is Container and thing.kind not in MAPPINGS and len(thing.items) >= count:
            for slot, (_, element) in zip(out, thing.items, strict=False):
                slot.append(element)
        else:
            element = _elements(it, node, option)
            for slot in out:
                slot.append(element)
    return [one_of(slot) for slot in out]


RESTARTING = frozenset({"range", "values()", "keys()", "items()"})
"""Iterables that begin anew each time, by what made them."""


def consume(it: Interpreter, node: Any, value: Value, by: str) -> None:
    """An iterator is run through, and what it runs over with it."""
    options = alternatives(value)
    for ref, thing in it.all(value, Iterator):
        if thing.by in RESTARTING:
            continue
        it.emit(events.IteratorConsumed, node, iterator=thing, by=by)
        it.put(ref, replace(thing, used=YES), sure=len(options) == 1)
        _consume_source(it, thing.source, sure=len(options) == 1)


def _consume_source(it: Interpreter, value: Value, *, sure: bool) -> None:
    """What an iterator runs over is used up if it is one iterator; of several the shortest is, whichever it is."""
    sure = sure and len(alternatives(value)) == 1
    for ref, thing in it.all(value, Iterator):
        if thing.by not in RESTARTING:
            it.put(ref, replace(thing, used=YES if sure else thing.used | UNSURE))
            _consume_source(it, thing.source, sure=sure)


def begin(it: Interpreter, value: Value) -> None:
    """An iterator is run through a part of its way; how far is not known."""
    for ref, thing in it.all(value, Iterator):
        if thing.by not in RESTARTING and not thing.used.is_unsure:
            it.put(ref, replace(thing, used=thing.used | UNSURE))
            begin(it, thing.source)


def certainly_not_empty(it: Interpreter, value: Value) -> bool:
    """Whether iterating over a value runs at least once."""
    for option in alternatives(value):
        thing = it.state.heap.get(option) if type(option) is Ref else None
        if type(thing) is Container and thing.items:
            continue
        if type(thing) is Iterator and thing.used is NO and thing.empty is NO:
            continue
        if type(thing) is Module:
            from gradlint.interpreter import module_containers

            if module_containers.certainly_not_empty(it, thing):
                continue
        return False
    return True


def iterator(
    it: Interpreter, node: Any, element: Value, by: str, *, empty: Truth = UNSURE, source: Value = UNKNOWN
) -> Ref:
    """A new iterator over such elements."""
    return it.new(node, f"iterator {by}", Iterator(element=element, by=by, empty=empty, source=source))


# ---- elements by key


def key_of(value: Value) -> object | None:
    """The constant key or index that a value is; None where it is not one constant."""
    if type(value) is Const and isinstance(value.value, (str, int, float, bool, bytes, tuple)):
        return value.value
    return None


def get_item(it: Interpreter, ref: Ref, thing: Container, key: Value) -> Value:
    """`container[key]`."""
    constant = key_of(key)
    if constant is None:
        return one_of([*(v for _, v in thing.items), thing.rest]) if thing.items or thing.rest != NOTHING else UNKNOWN
    if isinstance(constant, bool) and thing.kind in SEQUENCES:
        constant = int(constant)
    if isinstance(constant, int) and constant < 0 and thing.kind in SEQUENCES and thing.rest == NOTHING:
        constant += len(thing.items)
    for known, value in thing.items:
        if known == constant and type(known) is type(constant):
            return value
    if thing.rest != NOTHING:
        return thing.rest
    return Unknown((ref,))


def set_item(it: Interpreter, node: Any, owner: Value, key: Value, value: Value) -> None:
    """`container[key] = value`."""
    found = it.all(owner, Container)
    for ref, thing in found:
        it.emit(events.Stored, node, container=thing, value=it.thing(value))
        it.put(ref, stored(thing, key_of(key), value), sure=len(found) == 1)


def stored(thing: Container, key: object | None, value: Value) -> Container:
    """The container with a value under a key; without a constant key it may be under any."""
    if key is None or len(thing.items) >= MOST_ITEMS:
        every = tuple((k, one_of((v, value))) for k, v in thing.items)
        return replace(thing, items=every, rest=one_of((thing.rest, value)))
    items = dict(thing.items)
    if key not in items and thing.kind in SEQUENCES:
        return replace(summarised(thing), rest=one_of((summarised(thing).rest, value)))
    items[key] = value
    return replace(thing, items=tuple(items.items()))


def appended(thing: Container, value: Value) -> Container:
    """The sequence with one more element at its end."""
    if thing.rest == NOTHING and len(thing.items) < MOST_ITEMS and thing.kind in SEQUENCES:
        return replace(thing, items=(*thing.items, (len(thing.items), value)))
    whole = summarised(thing)
    return replace(whole, rest=one_of((whole.rest, value), MOST_ITEMS))


def delete_item(it: Interpreter, owner: Value, key: Value) -> None:
    """`del container[key]`."""
    found = it.all(owner, Container)
    for ref, thing in found:
        it.put(ref, without(thing, key_of(key)), sure=len(found) == 1)


def without(thing: Container, key: object | None) -> Container:
    """The container after the element under a key was taken out; without a constant key it may be any."""
    if thing.kind in MAPPINGS:
        return replace(thing, items=tuple((k, v) for k, v in thing.items if k != key))
    count = len(thing.items)
    if thing.rest != NOTHING or type(key) is not int or not -count <= key < count:
        return summarised(thing)
    kept = [value for index, value in thing.items if index != key % count]
    return replace(thing, items=tuple(enumerate(kept)))


def append(it: Interpreter, node: Any, owner: Value, value: Value) -> None:
    """`owner.append(value)`."""
    found = it.all(owner, Container)
    for ref, thing in found:
        it.emit(events.Stored, node, container=thing, value=it.thing(value))
        it.put(ref, appended(thing, value), sure=len(found) == 1)


def insert(it: Interpreter, node: Any, ref: Ref, value: Value, at: object | None) -> None:
    """`owner.insert(at, value)`; without a constant index the value may stand anywhere."""
    thing: Container = it[ref]
    it.emit(events.Stored, node, container=thing, value=it.thing(value))
    if type(at) is not int or thing.rest != NOTHING or len(thing.items) >= MOST_ITEMS:
        it.put(ref, appended(summarised(thing), value))
        return
    values = [v for _, v in thing.items]
    values.insert(at, value)
    it.put(ref, replace(thing, items=tuple(enumerate(values))))


def extend(it: Interpreter, node: Any, owner: Value, more: Value) -> None:
    """`owner.extend(more)`, `owner += more`."""
    found = it.all(owner, Container)
    other = it.only(more, Container)
    for ref, thing in found:
        new = thing
        if other is not None and other.rest == NOTHING and other.kind not in MAPPINGS:
            for _, value in other.items:
                new = appended(new, value)
        else:
            whole = summarised(thing)
            new = replace(whole, rest=one_of((whole.rest, elements(it, node, more)), MOST_ITEMS))
        it.put(ref, new, sure=len(found) == 1)
    consume(it, node, more, "extend")


def merge(it: Interpreter, node: Any, owner: Value, more: Value) -> None:
    """`owner.update(more)` of mappings."""
    found = it.all(owner, Container)
    other = it.only(more, Container)
    for ref, thing in found:
        new = thing
        if other is None:
            new = replace(new, rest=Unknown(()))
        elif other.kind in MAPPINGS:
            for key, value in other.items:
                new = stored(new, key, value)
            if other.rest != NOTHING:
                new = stored(new, None, other.rest)
        else:
            new = replace(new, rest=UNKNOWN)
        it.put(ref, new, sure=len(found) == 1)


# ---- methods


def _values(it: Interpreter, node: Any, ref: Ref, thing: Container) -> Value:
    items = [v for _, v in thing.items]
    empty = NO if items else UNSURE
    return iterator(it, node, one_of([*items, thing.rest], MOST_ITEMS), "values()", empty=empty, source=ref)


def _keys(it: Interpreter, node: Any, ref: Ref, thing: Container) -> Value:
    return iterator(it, node, _elements(it, node, ref), "keys()", empty=NO if thing.items else UNSURE, source=ref)


def _items(it: Interpreter, node: Any, ref: Ref, thing: Container) -> Value:
    pair = it.new(
        node,
        "pair",
        Container(
            "tuple", items=((0, Plain("str")), (1, one_of([*(v for _, v in thing.items), thing.rest], MOST_ITEMS)))
        ),
    )
    return iterator(it, node, pair, "items()", empty=NO if thing.items else UNSURE, source=ref)


VIEWS = {"values": _values, "keys": _keys, "items": _items}


def call_method(
    it: Interpreter, node: Any, ref: Ref, name: str, args: Sequence[Value], keywords: dict[str, Value]
) -> Value:
    """A method of a list, tuple, set or mapping."""
    thing: Container = it[ref]
    if name in VIEWS:
        return VIEWS[name](it, node, ref, thing)
    if name in ("append", "add") and args:
        append(it, node, ref, args[0])
        return Const(None)
    if name in ("appendleft", "insert") and args:
        insert(it, node, ref, args[-1], at=0 if name == "appendleft" else key_of(args[0]))
        return Const(None)
    if name == "extend" and args:
        extend(it, node, ref, args[0])
        return Const(None)
    if name == "update":
        for more in args:
            merge(it, node, ref, more)
        for key, value in keywords.items():
            set_item(it, node, ref, Const(key), value)
        return Const(None)
    if name in ("get", "pop", "setdefault", "__getitem__") and args:
        return _get(it, node, ref, thing, name, args)
    if name in ("pop", "popitem", "popleft"):
        last = Const(0 if name == "popleft" else -1)
        found = (
            get_item(it, ref, thing, last)
            if thing.kind in SEQUENCES
            else one_of([*(v for _, v in thing.items), thing.rest])
        )
        it.put(ref, without(thing, last.value) if thing.kind in SEQUENCES else thing)
        return found
    if name in ("copy", "__copy__"):
        return it.new(node, "copy", thing)
    if name == "clear":
        it.put(ref, replace(thing, items=(), rest=NOTHING))
        return Const(None)
    if name in ("index", "count", "__len__"):
        return Scalar(INTEGER)
    if name in ("sort", "reverse", "remove", "discard", "move_to_end"):
        it.put(ref, summarised(thing) if thing.kind in SEQUENCES else thing)
        return Const(None)
    return Unknown((ref,))


def _get(it: Interpreter, node: Any, ref: Ref, thing: Container, name: str, args: Sequence[Value]) -> Value:
    key = key_of(args[0])
    known = key is not None and any(k == key for k, _ in thing.items)
    default: Value = args[1] if len(args) > 1 else Const(None)
    if name == "setdefault" and not known:
        set_item(it, node, ref, args[0], one_of((default, thing.rest)))
    found = get_item(it, ref, thing, args[0])
    if name == "pop":
        it.put(ref, without(thing, key))
    if known or name == "__getitem__" or (name == "pop" and len(args) < 2):
        return found
    if thing.rest == NOTHING and (key is not None or not thing.items):
        return default
    return one_of((found, default))
