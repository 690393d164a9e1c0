"""Iteration: what going over something gives, in one or one by one, and what becomes of iterators that are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gradlint import events
from gradlint.domain.facts import INTEGER, NO, UNSURE, YES, Truth
from gradlint.domain.objects import MAPPINGS, MOST_PARAMETERS, Container, Iterator
from gradlint.domain.provenance import MOST_CAUSES, Cause, CauseKind, IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, PlainObject, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.deferred import Suspended, bounded, on_next, resume_again
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site

ITERATE, NEXT, LISTED = SLOTS[TypeSlot.ITERATE], SLOTS[TypeSlot.NEXT], SLOTS[TypeSlot.LISTED]

SEQUENCES = frozenset({"list", "tuple", "deque"})
MOST_ELEMENTS = 16
"""The most iterations of a loop or comprehension that are run one by one."""


def elements(m: Interpreter, node: Site, value: Value) -> Value:
    """Return the elements of an iteration over a value, all in one."""
    return following(m, node, iterated(m, node, value))


def iterated(m: Interpreter, node: Site, value: Value) -> Value:
    """Return the iterable of an iteration over a value: the value itself, but for objects of the program."""
    options = alternatives(value)
    if not any(type(option) is Ref and type(m.state.heap.get(option)) in ITERATE for option in options):
        return value
    return one_of(each(m, options, lambda option: _iterated(m, node, option)), MOST_PARAMETERS)


def tuple_of(m: Interpreter, node: Site, values: Iterable[Value], part: str = "pair") -> Ref:
    """A new tuple of these values."""
    return m.new(node, part, Container("tuple", items=tuple(enumerate(values))))


def _iterated(m: Interpreter, node: Site, value: Value) -> Value:
    thing = m.state.heap.get(value) if type(value) is Ref else None
    step = ITERATE.get(type(thing))
    return value if step is None else step(m, node, value, thing)


def following(m: Interpreter, node: Site, value: Value) -> Value:
    """Return the next element of an iteration that has begun, at whichever `next`."""
    options = alternatives(value)
    if len(options) == 1:
        return _following(m, node, value)
    return one_of(each(m, options, lambda option: _following(m, node, option)), MOST_PARAMETERS)


def each(m: Interpreter, values: Sequence[Value], step: Callable[[Value], Value]) -> list[Value]:
    """Return the results of a step that may run code for each of some values, one after the other."""
    start, count = m.push(*values), len(values)
    for index in range(count):
        m.push(step(m.state.stack[start + index]))
    return m.pop_from(start)[count:]


def _following(m: Interpreter, node: Site, value: Value) -> Value:
    if type(value) is Ref:
        thing = m.state.heap.get(value)
        step = NEXT.get(type(thing))
        return Unknown((value,)) if step is None else step(m, node, value, thing)
    if type(value) is Constant and isinstance(value.value, (str, bytes)):
        return PlainObject("str")
    if type(value) is PlainObject:
        return ELEMENTS.get(value.kind, UNKNOWN)
    return value if type(value) is Unknown else UNKNOWN


@implements(TypeSlot.NEXT, Iterator)
def _of_iterator(m: Interpreter, node: Site, ref: Ref, thing: Iterator) -> Value:
    now = on_next(m, thing)
    if now is not thing and thing.by is IteratorKind.GENEXPR and thing.used is NO and ref.context == m.frame.id:
        now = thing = SLOTS[TypeSlot.RESTART][Iterator](m, ref, thing)
    resume_again(m, thing)
    return NOTHING if now.used is YES else now.element


ELEMENTS: dict[str, Value] = {
    **dict.fromkeys(("range", "Size"), PythonNumber(INTEGER)),
    **dict.fromkeys(("str", "list of str", "file"), PlainObject("str")),
    "data": PlainObject("data"),
}
"""The elements of Python objects that hold no tensors."""


def element_list(m: Interpreter, value: Value) -> list[Value] | None:
    """The elements of an iterable one by one, in order; None where that is not known."""
    waiting = m.only(value, Iterator)
    iterator = None if waiting is None else on_next(m, waiting)
    by = IteratorKind.UNKNOWN if iterator is None else iterator.by
    if waiting is not None and iterator is not None and _gives_one_more(m, waiting):
        return [iterator.element]
    if iterator is not None:
        in_place = by in (IteratorKind.VALUES, IteratorKind.KEYS) and m.only(iterator.source, Container) is not None
        thing = m.only(iterator.source if in_place else iterator.listed, Container) if iterator.used is NO else None
    else:
        thing = m.only(value, Container)
        if thing is None:
            found = listed_by(m, value, IteratorKind.UNKNOWN)
            return None if found is None else [ref for _, ref in found]
    pairs_of = m.only(iterator.source, Container) if iterator is not None and by is IteratorKind.ITEMS else None
    if by is IteratorKind.ITEMS and not _is_as_listed(m, thing, pairs_of):
        return None
    if thing is None or thing.rest != NOTHING or not (thing.kind in SEQUENCES or thing.kind in MAPPINGS):
        return None
    if thing.kind in MAPPINGS and by is not IteratorKind.VALUES:
        return [Constant(key) for key, _ in thing.items]
    return [element for _, element in thing.items]


def _is_as_listed(m: Interpreter, listed: Container | None, mapping: Container | None) -> bool:
    """Return whether a mapping holds now what was listed as pairs; None for a module."""
    if listed is None or mapping is None:
        return mapping is None
    if mapping.rest != NOTHING or len(mapping.items) != len(listed.items):
        return False
    pairs = [m.only(pair, Container) for _, pair in listed.items]
    return all(
        pair is not None and pair.items == ((0, Constant(key)), (1, value))
        for pair, (key, value) in zip(pairs, mapping.items, strict=True)
    )


def run_through(m: Interpreter, node: Site, value: Value, by: str = "") -> list[Value] | None:
    """The elements one by one, where they are known, of what is gone through here `by` something; without that perhaps
    not to its end. A generator expression runs for them."""
    listed = element_list(m, value)
    thing = m.state.heap.get(value) if type(value) is Ref else None
    sources: Value = NOTHING
    if listed is None and type(thing) is Iterator and thing.by is IteratorKind.GENEXPR and thing.used is NO:
        start = m.push(value, thing.source)
        listed = SLOTS[TypeSlot.RUN_THROUGH][Iterator](m, value, thing)
        value, sources = m.pop_from(start)
    if listed is None:
        return None
    start = m.push(*listed)
    if by:
        consume(m, node, value, by)
    else:
        begin(m, value)
        _perhaps_left(m, sources)
    return m.pop_from(start)


def _perhaps_left(m: Interpreter, value: Value) -> None:
    """Leave a consumer of an iterator, which has asked for all, perhaps with some left."""
    for ref, thing in m.all(value, Iterator):
        if thing.used is YES:
            m.store(ref, replace(thing, used=UNSURE))
            _perhaps_left(m, thing.source)


def listed_by(m: Interpreter, value: Value, by: IteratorKind) -> list[tuple[str, Ref]] | None:
    """Return the elements of an object, or of a method of it, one by one with names; None where they are not known."""
    thing = m.state.heap.get(value) if type(value) is Ref else None
    step = LISTED.get(type(thing))
    return None if step is None else step(m, value, thing, by)


def after_one_next(m: Interpreter, value: Value, before: Iterator) -> None:
    """An unused iterator gives its first; where it was to give two, one is left."""
    if before.used is NO and _is_over_two(m, before):
        m.update_fields(value, Iterator, several=NO, empty=NO)


def _gives_one_more(m: Interpreter, thing: Iterator) -> bool:
    """Return whether an iterator that was used once certainly gives one more, and that is all."""
    return thing.several is NO and thing.empty is NO and _is_over_two(m, thing)


def _is_over_two(m: Interpreter, thing: Iterator) -> bool:
    """Return whether an iterator gives one for each of two elements that it runs over."""
    if thing.by is IteratorKind.GENEXPR:
        loop = thing.causes[0].node.for_in
        one_each = not loop.ifs and loop.inner_for_in is None
    else:
        one_each = thing.by is IteratorKind.MAP
    found = element_list(m, thing.source) if one_each and m.only(thing.source, Container) is not None else None
    return type(thing.source) is Ref and found is not None and len(found) == 2


def _after_next(thing: Iterator, used: Truth) -> Iterator:
    """An iterator after a `next`; if one was left, that may be gone."""
    return replace(thing, used=used, empty=thing.empty | UNSURE if thing.several is NO else thing.empty)


RESTARTING = frozenset({IteratorKind.RANGE, IteratorKind.VALUES, IteratorKind.KEYS, IteratorKind.ITEMS})
"""Iterables that begin anew each time, by what made them."""


def consume(m: Interpreter, node: Site, value: Value, by: str) -> None:
    """An iterator is run through, and what it runs over with it."""
    options = alternatives(value)
    for ref, thing in m.all(value, Iterator):
        if thing.by in RESTARTING:
            continue
        m.emit(events.IteratorConsumed, node, iterator=thing, element=m.thing(thing.element), by=by)
        resume_again(m, thing)
        marks = (*thing.causes[: MOST_CAUSES - 1], Cause(CauseKind.USED, getattr(node, "node", node)))
        m.store(ref, replace(_after_next(thing, YES), causes=marks), sure=len(options) == 1)
        if thing.by is IteratorKind.GENEXPR and thing.used is NO and len(options) == 1:
            consume(m, thing.causes[0].node.for_in.iter, thing.source, "comprehension")
        else:
            _consume_source(m, thing.source, sure=len(options) == 1)


def _consume_source(m: Interpreter, value: Value, *, sure: bool) -> None:
    """Use up an iterator's source if it is one iterator; of several the shortest is used up, whichever it is. What is
    used up already may stand for several in a row, each of which runs over the one before it."""
    sure = sure and len(alternatives(value)) == 1
    for ref, thing in m.all(value, Iterator):
        used = YES if sure else thing.used | UNSURE
        if thing.by not in RESTARTING and used is not thing.used:
            m.store(ref, _after_next(thing, used))
            _consume_source(m, thing.source, sure=sure)


def emit_exhausted(m: Interpreter, node: Site, values: Iterable[Value]) -> None:
    """Code that the file does not show is passed what was run through before: it finds nothing in that."""
    for value in values if not m.is_silent else ():
        thing = m.state.heap.get(value) if type(value) is Ref else None
        if type(thing) is Iterator and thing.used is YES and thing.by not in RESTARTING:
            m.emit(events.IteratorConsumed, node, iterator=thing, element=m.thing(thing.element), by="handed")


def begin(m: Interpreter, value: Value) -> None:
    """An iterator is run through a part of its way; how far is not known."""
    for ref, thing in m.all(value, Iterator):
        if thing.by not in RESTARTING and not (thing.used.is_unsure and thing.several is not NO):
            m.store(ref, _after_next(thing, thing.used | UNSURE))
            begin(m, thing.source)


def iterator(m: Interpreter, node: Site, made: Iterator, followed: Suspended | None = None) -> Ref:
    """A new iterator: what goes on when its source does, goes on when it does, and changes of the source's elements are
    its own."""
    made = replace(made, causes=(Cause(CauseKind.MADE, getattr(node, "node", node)),))
    return m.new(node, f"iterator {made.by}", going_on(m, made, followed))


def going_on(m: Interpreter, made: Iterator, followed: Suspended | None) -> Iterator:
    """An iterator by what runs on at `next`: code that was followed, and what it runs over."""
    inner = [thing for _, thing in m.all(made.source, Iterator)]
    touches, fills = ([ref for one in inner for ref in getattr(one, name)] for name in ("touches", "fills"))
    seen = {(*key, str(number)): value for number, one in enumerate(inner) for key, value in one.seen}
    if followed is not None:
        touches, fills = [*touches, *followed.touches()], [*fills, *followed.fills()]
        seen |= dict(followed.seen())
    changes = {"touches": tuple(dict.fromkeys(touches)), "fills": tuple(dict.fromkeys(fills))}
    return replace(made, seen=bounded(m, tuple(seen.items())), **changes)


@implements(TypeSlot.CALL_METHOD, Iterator)
def _call_method(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value:
    if method in ("__next__", "send"):
        return elements(m, node, owner)
    return Unknown(tuple(ref for ref, _ in m.all(owner, Iterator)))
