"""Loops over several objects: the one that the loop is at is another thing to know than what the others are like.

A loop over all parameters of a module is run for all of them together, and what its body does it does to the one that
it is at; the others it has gone over already, or not yet. While the body runs, each object has two references: its own,
by which everybody else knows it and under which it may have been changed or not, and one that says "if the loop is at
it", which the loop's variable holds. A change of one is made to the other (`Interpreter.store_exact`). When the
body has run, both are one again, and a third one, "once the loop was at it", keeps what is known then: where the loop
has gone over all, that is what holds of each.

What the body certainly puts into a list while it is at an object is noted under the reference that says so
(`Container.certain`), and goes the same way: in the end all are in the list that the loop was certainly at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from gradlint.domain.heap import Heap
from gradlint.domain.joining import joined
from gradlint.domain.mentions import object_references, object_renamed
from gradlint.domain.objects import Container, Module, Object, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.state import State
from gradlint.domain.value_sets import alternatives, references, renamed
from gradlint.domain.values import UNKNOWN, OneOf, Value
from gradlint.domain.walks import GONE_OVER, at, is_at, plain
from gradlint.frozen import replace
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site

TOLD_APART: tuple[type[Tensor] | type[Module], ...] = (Tensor, Module)


def iteration_of(m: Interpreter, node: Site) -> str:
    """The name of a loop in this frame."""
    return f"{m.allocations.site(node)}.{m.frame.id}"


def one_of_several(m: Interpreter, walk: str, element: Value) -> Value:
    """The element of this iteration: of each of several objects, what it is if the loop is at it."""
    heap = m.state.heap
    pairs = _pairs(m, element)
    slots = [(element, False), *((value, len(pairs) > 1) for _, pair in pairs for _, value in pair.items)]
    found = {ref: at(ref, walk) for value, several in slots for ref in _distinguished(m, value, several)}
    if not found:
        return element
    for ref in list(found):
        gradients = references(getattr(heap[ref], "gradient", UNKNOWN))
        found |= {gradient: at(gradient, walk) for gradient in gradients if gradient in heap}
    found |= {ref: at(ref, walk) for ref, pair in pairs if not found.keys().isdisjoint(object_references(pair))}
    for ref, here in found.items():
        heap[here] = _under_another_name(heap[ref], found)
    return renamed(element, found)


def _under_another_name(thing: Object, found: dict[Ref, Ref]) -> Object:
    """Return the facts of an object if the loop is at it; its memory is the same."""
    now = object_renamed(thing, found)
    return replace(now, storage=thing.storage) if type(thing) is Tensor else now


def _pairs(m: Interpreter, element: Value) -> list[tuple[Ref, Container]]:
    """The pairs that a loop goes over (`for name, p in ...`)."""
    return [(ref, pair) for ref, pair in m.all(element, Container) if pair.kind == "tuple"]


def _distinguished(m: Interpreter, value: Value, several: bool) -> list[Ref]:
    """Return the alternatives that are one of several objects that the loop goes over, and no loop around is at."""
    several = several or len(alternatives(value)) > 1
    found = [(ref, thing) for kind in TOLD_APART for ref, thing in m.all(value, kind)]
    return [ref for ref, thing in found if plain(ref) == ref and (several or getattr(thing, "is_summary", False))]


@contextmanager
def at_each(m: Interpreter, walk: str, element: Value, slot: int, *, partial: bool) -> Iterator[None]:
    """Run the body of a loop for this element: a change of it is one of each object that it may be, unless the loop
    is `partial` or inside one that is. What is known of them afterwards is kept in that slot of what is in flight."""
    swept = [ref for ref in alternatives(element) if type(ref) is Ref]
    slots = [value for _, pair in _pairs(m, element) for _, value in pair.items]
    swept += [ref for value in slots for ref in alternatives(value) if type(ref) is Ref]
    several = any(is_at(ref, walk) for ref in swept)
    hands = [frozenset(alternatives(value)) for value in (element, *slots)]
    m.loops.partial += partial
    swept = [] if m.loops.partial else swept
    m.loops.sweeping += swept
    m.loops.walks += [walk] * several
    m.loops.at_hand += hands
    yield
    del m.loops.walks[len(m.loops.walks) - several :], m.loops.sweeping[len(m.loops.sweeping) - len(swept) :]
    del m.loops.at_hand[len(m.loops.at_hand) - len(hands) :]
    m.loops.partial -= partial
    if several and m.frame.loop is not None:
        for state in (m.state, *m.frame.loop.continues):
            if state.live:
                state.stack[slot] = _after_iteration(state, walk)
        around = [state for tried in m.frame.tries for state in (tried.raised, tried.waiting)]
        for seen in (m.frame.suspended, *around):
            if seen is not None:
                _after_iteration(seen, walk)


def current_element(m: Interpreter, value: Value) -> list[Ref]:
    """The references of the one that a loop is at, if that is what a value certainly is."""
    options = alternatives(value)
    found = [ref for ref in options if type(ref) is Ref and any(is_at(ref, walk) for walk in m.loops.walks)]
    return found if len(found) == len(options) and any(hand.issuperset(found) for hand in m.loops.at_hand) else []


def _after_iteration(state: State, walk: str) -> Value:
    """The body has run for the one that the loop was at: it is known by one reference again. Gives those under which
    is what is known once the loop was at them."""
    heap = state.heap
    here = {ref: plain(ref) for ref in heap if is_at(ref, walk)}
    _certain_once_at(heap, walk, here)
    for ref, own in here.items():
        done = at(own, walk + GONE_OVER)
        heap[done] = joined(heap[ref], heap[done]) if done in heap else heap[ref]
    if here:
        state.rename(here, [ref for ref, thing in heap.items() if not here.keys().isdisjoint(object_references(thing))])
    return OneOf(tuple(ref for ref in heap if is_at(ref, walk + GONE_OVER)))


def _certain_once_at(heap: Heap, walk: str, here: Mapping[Ref, Ref]) -> None:
    """Let the elements that an owner certainly holds if the loop is at them be certain once it was at all of them."""
    now = {ref: at(own, walk + GONE_OVER) for ref, own in here.items()}
    before, marked = {done for done in now.values() if done in heap}, {*now, *now.values()}

    def stays(ref: Ref, certain: Collection[Ref]) -> bool:
        return ref not in before if ref not in here else now[ref] not in before or now[ref] in certain

    for owner, thing in list(heap.items()):
        held: tuple[Ref, ...] = getattr(thing, "certain", ())
        if not marked.isdisjoint(held):
            certain = dict.fromkeys(now.get(ref, ref) for ref in held if stays(ref, held))
            heap[owner] = replace(thing, certain=tuple(certain))


def _certain_in_the_end(heap: Heap, done: Collection[Ref], swept: Collection[Ref]) -> None:
    """The loop has ended: what it certainly was at is what was noted once it was."""
    for owner, thing in list(heap.items()):
        held: tuple[Ref, ...] = getattr(thing, "certain", ())
        if any(ref in done for ref in held):
            now = [plain(ref) if ref in done else ref for ref in held if ref not in done or plain(ref) in swept]
            heap[owner] = replace(thing, certain=tuple(dict.fromkeys(now)))


def mark_all_visited(state: State, slot: int, certain: Collection[Ref]) -> None:
    """The loop has ended and was at each of the objects that certainly come by: what is known once it was at them is
    known of them, and of their gradients. The others it may have been at."""
    if not state.live:
        return
    swept = {gradient for ref in certain for gradient in references(getattr(state.heap.get(ref), "gradient", UNKNOWN))}
    swept |= set(certain)
    _certain_in_the_end(state.heap, references(state.stack[slot]), swept)
    for ref in references(state.stack[slot]):
        own, done = plain(ref), state.heap.pop(ref)
        known = state.heap.get(own)
        state.heap[own] = done if own in swept or known is None else joined(known, done)
