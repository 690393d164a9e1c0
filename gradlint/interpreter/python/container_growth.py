"""Putting things into containers: whether graphs pile up there."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, takewhile
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import YES, Truth, either, truth
from gradlint.domain.objects import Container, Module, Node, Tensor
from gradlint.domain.refs import Alternatives, Graph, Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.value_sets import alternatives, key_of, may_be_row
from gradlint.domain.values import Value
from gradlint.interpreter.autograd.terms import is_freed_term
from gradlint.interpreter.engine.history import certainly_recorded, in_every
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters
from gradlint.interpreter.static.running_totals import RunningTotals, summed_in
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site, syntax


def emit_stored(
    m: Interpreter, node: Site, container: Container, value: Value, *, at: Value | None = None, among: bool = False
) -> None:
    """A value is about to be put into a container, `at` an index or key if known; `among` says that it is one of
    several."""
    if m.is_silent:
        return
    adds = at is None or _is_new(m, container, key_of(at))  # nothing is known to make room for it
    made_by = [slots for slots in _histories(m, value) if _places(slots)]
    recorded = [_places(slots) for slots in made_by]
    inside = [one for _, one in (*container.items, ("", container.rest))] if recorded and adds else []
    older = [slot for one in inside for slots in _histories(m, one) for slot in slots]
    piles = [same for places in recorded if (same := [slot for slot in older if _is_of_before(m, slot, places)])]
    name, given = _written(syntax(node))
    if type(given) is cst.Name and _is_running_total(m, given.value):
        m.notes(RunningTotals).lists |= {ref.origin for ref, thing in m.state.heap.items() if thing is container}
    m.emit(
        events.Stored,
        node,
        container=container,
        value=m.thing(value),
        name=name,
        given=None if among else given,
        recorded=certainly_recorded(m, value),
        graph=tuple(dict.fromkeys(place for places in recorded for place in places)),
        piles=truth(bool(piles)),
        freed=truth(bool(piles) and all(either([_spent(m, slot) for slot in slots]) is YES for slots in piles)),
        replaces=at is not None and container.kind == "list",
        differentiated=bool(piles) and all(is_freed_term(m, chain(*slots)) for slots in made_by),
        by_part=bool(piles) and _fills_by_part(m, container),
        again=_again(m, container, value),
    )


def _is_running_total(m: Interpreter, name: str) -> bool:
    """Return whether a name is a sum of numbers so far, as far as anybody knows, and not of the rows of an array."""
    summands = summed_in(m.frame.scope, name, m.notes(RunningTotals))
    values = [found for one in summands if (found := m.state.names.get((m.frame.id, one))) is not None]
    return bool(summands) and not may_be_row(values)


def _again(m: Interpreter, container: Container, value: Value) -> tuple[Tensor, ...]:
    """The tensors of a module, or of its `state_dict()`, of which the container already holds one."""
    mine = _states(m, value)
    if not mine or container.kind != "list":
        return ()
    held = {ref for one in container.held for ref in _states(m, one)}
    return tuple(tensor for ref, tensors in mine.items() if ref in held for tensor in tensors)


def _states(m: Interpreter, value: Value, *, inside: bool = True) -> dict[Ref, tuple[Tensor, ...]]:
    """The modules that a value, or one of what a container of some kind holds, is or is the `state_dict()` of, each of
    which is a single one, with their tensors."""
    found: dict[Ref, tuple[Tensor, ...]] = {}
    for ref in [option for option in alternatives(value) if type(option) is Ref]:
        thing = m.state.heap.get(ref)
        if type(thing) is Module:
            found[ref] = tuple(m[one] for _, one in parameters(m, ref)[0])
        elif type(thing) is Container and thing.origin:
            found |= dict.fromkeys(thing.origin, tuple(one for held in thing.held for _, one in m.all(held, Tensor)))
        elif type(thing) is Container and inside:
            for held in thing.held:
                found |= _states(m, held, inside=False)
    return {ref: tensors for ref, tensors in found.items() if ref.recency < OLDEST}


def _fills_by_part(m: Interpreter, container: Container) -> bool:
    """Return whether all loops that fill a container go over parts of networks: those that it was not made in anew."""
    origins = {ref.origin for ref, thing in m.state.heap.items() if thing is container}
    filling = takewhile(lambda loop: origins.isdisjoint(loop.made), reversed(m.loops.active))
    return all(loop.over_parts for loop in filling)


def _histories(m: Interpreter, value: Value) -> list[list[Alternatives]]:
    """The nodes that may have made the tensors that a value is, and those that lie anywhere in it, one by one: each
    tensor with all that it may be instead."""
    found: list[list[Alternatives]] = []
    seen: set[Ref] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        if slots := [tensor.node for _, tensor in m.all(one, Tensor)]:
            found.append(slots)
        for ref, held in m.all(one, Container):
            if ref not in seen:
                seen.add(ref)
                todo += [*(inner for _, inner in held.items), *alternatives(held.rest)]
    return found


def _places(slots: list[Alternatives]) -> dict[Graph, None]:
    """The graph nodes among these."""
    return {ref.key: None for slot in slots for ref in slot if ref is not None}


def _is_new(m: Interpreter, container: Container, key: object | None) -> bool:
    """Return whether a put under a key may add to those under others: in each iteration under another."""
    return key is None or (m.allocations.round > 0 and all(known != key for known, _ in container.items))


def _is_of_before(m: Interpreter, slot: Alternatives, places: Mapping[Graph, None]) -> bool:
    """Return whether an earlier iteration recorded one of these at one of the places."""
    rounds = {m.allocations.of_any_round(Ref(*place)) for place in places} if m.allocations.round else set()
    return any(
        ref is not None and (ref.recency if ref.key in places else m.allocations.of_any_round(ref) in rounds)
        for ref in slot
    )


def _spent(m: Interpreter, nodes: Alternatives) -> Truth:
    freed = in_every(m, nodes, lambda ref: {"freed"} if _is_freed(m.state.heap.get(ref)) else set())
    return truth(bool(freed))


def _is_freed(thing: object) -> bool:
    return type(thing) is Node and thing.freed is YES


def _written(place: Any) -> tuple[str, Any]:
    """Return the spelling of the container, and the syntax of what is put into it where that is the last argument."""
    if type(place) is cst.Subscript:
        return spelled(place.value), None
    if type(place) is cst.Call and type(place.func) is cst.Attribute and place.args:
        return spelled(place.func.value), place.args[-1].value
    if type(place) is cst.AugAssign:
        return spelled(place.target), None
    return "", None
