"""Graphs: what is certainly in the history of a node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from gradlint.domain import NO, YES, Belief, Container, Graph, Node, Ref, Slot, Tensor, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.machine import Interpreter

T = TypeVar("T")

MOST_WEIGHED = 300
MOST_LOOKED_BACK = 20
"""How many nodes of a history are weighed in whole; of larger ones only what is straight ahead is certain.

`MOST_LOOKED_BACK` holds where it is asked whether a graph grows, which is asked at every operation in a loop.
"""


def certainly_recorded(it: Interpreter, value: Value) -> Tensor | None:
    """Of the tensors that a value is, or certainly holds, and that certainly carry a graph the one believed most. Where
    all that a container may hold carries one, it most likely holds something."""
    found: list[Tensor] = []
    seen: set[Value] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        thing = it.thing(one)
        if type(thing) is Tensor:
            if _is_recorded(thing):
                found.append(thing)
        elif one not in seen:
            if type(thing) is Container and type(some := it.thing(thing.rest)) is Tensor and _is_recorded(some):
                found.append(replace(some, belief=max(some.belief, Belief.BY_USE)))
            seen.add(one)
            todo += [inner for _, inner in (*getattr(thing, "items", ()), *getattr(thing, "attributes", ()))]
            todo += getattr(thing, "certain", ())
    return min(found, key=lambda tensor: tensor.belief, default=None)


def _is_recorded(tensor: Tensor) -> bool:
    return tensor.requires_grad is YES and tensor.leaf is NO


def sure_past(it: Interpreter, start: Slot, most: int = MOST_WEIGHED) -> dict[Ref, None]:
    """Nodes and leaves that are certainly in the history: in every history it may be."""
    nodes = it.past(start, most)
    if len(nodes) > most:
        if most is MOST_WEIGHED:
            it.hit("size of a graph")
        return _single_past(it, start, most)
    sure = _in_all(start, _certain(it, start, lambda ref: {ref} if ref.age < 2 else set()))
    return {ref: None for ref in nodes if ref in sure}


def sure_places(it: Interpreter, start: Slot, most: int) -> set[Graph]:
    """Where nodes and leaves were made that are certainly in the history, whichever of those made there they are."""
    if len(it.past(start, most)) > most:
        return {ref.key for ref in _single_past(it, start, most)}
    return _in_all(start, _certain(it, start, lambda ref: {ref.key}))


def in_every(it: Interpreter, start: Slot, known: Callable[[Ref], set[T]]) -> set[T]:
    """What is said of some node, whichever it be, in every history that it may be."""
    return _in_all(start, _certain(it, start, known))


def savers(it: Interpreter, nodes: Sequence[Ref]) -> list[Ref]:
    """Those of these nodes which certainly keep something for backward, or have one behind them that does, whichever
    way was taken."""
    saving = _certain(it, tuple(nodes), lambda ref: {True} if surely_saves(it.state.heap.get(ref)) else set())
    return [ref for ref in nodes if saving[ref]]


def surely_saves(thing: object) -> bool:
    """Whether this is an operation that certainly keeps something for backward."""
    return type(thing) is Node and any(None not in slot for slot in thing.saves)


def _certain(it: Interpreter, start: Slot, known: Callable[[Ref], set[T]]) -> dict[Ref, set[T]]:
    """For each node of a history what `known` says of it and of all that is certainly before it."""
    certain: dict[Ref, set[T]] = {}
    for ref in _inputs_first(it, start):
        thing = it.state.heap.get(ref)
        inside = known(ref)
        for slot in thing.inputs if type(thing) is Node else ():
            inside |= _in_all(slot, certain)
        certain[ref] = inside
    return certain


def _in_all(slot: Slot, certain: dict[Ref, set[T]]) -> set[T]:
    """What every alternative certainly has in its history."""
    if None in slot or not slot:
        return set()
    found = [certain.get(ref, set()) for ref in slot if ref is not None]
    return set.intersection(*found)


def _inputs_first(it: Interpreter, start: Slot) -> list[Ref]:
    """The nodes of a history, each after those it was made from (but for cycles)."""
    order: list[Ref] = []
    seen: set[Ref] = set()
    todo: list[tuple[Ref, bool]] = [(ref, False) for ref in start if ref is not None]
    while todo:
        ref, done = todo.pop()
        if done:
            order.append(ref)
            continue
        if ref in seen:
            continue
        seen.add(ref)
        todo.append((ref, True))
        thing = it.state.heap.get(ref)
        if type(thing) is Node:
            todo += [(other, False) for slot in thing.inputs for other in slot if other is not None]
    return order


def _single_past(it: Interpreter, start: Slot, most: int) -> dict[Ref, None]:
    """The part of the history to which only one way leads at every step."""
    found: dict[Ref, None] = {}
    todo = list(start) if len(start) == 1 else []
    while todo and (len(found) < most or most is MOST_WEIGHED):
        ref = todo.pop()
        if ref is None or ref in found or ref.age >= 2:
            continue
        found[ref] = None
        thing = it.state.heap.get(ref)
        if type(thing) is Node:
            todo += [slot[0] for slot in thing.inputs if len(slot) == 1]
    return found


def towards(it: Interpreter, starts: Iterable[Slot], ends: frozenset[Ref]) -> dict[Ref, bool]:
    """The nodes of a history from which one of the ends may be reached, and whether it certainly is."""
    found: dict[Ref, bool] = {}
    for ref in _inputs_first(it, tuple(ref for start in starts for ref in start)):
        thing = it.state.heap.get(ref)
        for slot in thing.inputs if type(thing) is Node else ():
            leading = [found.get(other, False) or other in ends for other in slot if other is not None]
            if any(leading) or any(other in found for other in slot):
                found[ref] = found.get(ref, False) or (all(leading) and None not in slot)
    return found


def company(it: Interpreter, start: Slot, leaves: Sequence[Ref]) -> tuple[int, ...]:
    """For each leaf, as bits, the leaves that may be in the history of an operation that takes it."""
    bits = {leaf: 1 << index for index, leaf in enumerate(leaves)}
    behind, together = dict(bits), dict(bits)
    for ref in _inputs_first(it, start):
        thing = it.state.heap.get(ref)
        if type(thing) is not Node:
            continue
        taken = [other for slot in thing.inputs for other in slot if other is not None]
        found = 0
        for other in taken:
            found |= behind.get(other, 0)
        behind[ref] = found
        for leaf in bits.keys() & set(taken):
            together[leaf] |= found
    return tuple(together[leaf] for leaf in leaves)


def past_outside(it: Interpreter, starts: Iterable[Slot], barred: set[Ref]) -> dict[Ref, None]:
    """The nodes and leaves that may be reached without going through the barred nodes."""
    found: dict[Ref, None] = {}
    todo = [ref for start in starts for ref in start if ref is not None]
    while todo:
        ref = todo.pop()
        if ref in found or ref in barred:
            continue
        found[ref] = None
        thing = it.state.heap.get(ref)
        if type(thing) is Node:
            todo += [other for slot in thing.inputs for other in slot if other is not None]
    return found
