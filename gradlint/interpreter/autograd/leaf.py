"""Uses that need a leaf: the tensor there may be computed from a leaf that the program holds no more."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import NO, YES
from gradlint.domain.objects import Class, Container, Instance, Iterator, Module, Node, Tensor
from gradlint.domain.provenance import CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, references
from gradlint.domain.values import Value
from gradlint.frozen import frozen
from gradlint.interpreter.autograd.in_place import holders
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.rebinding import rebindings
from gradlint.interpreter.static.sites import Part, Site

MOST_STEPS = 6


def aliased_gradients(m: Interpreter, leaves: Iterable[Ref]) -> tuple[Tensor, ...]:
    """The gradients of these leaves that something else than their `.grad` holds."""
    gradients = [m.all(value, Tensor) for ref in leaves for value in (m[ref].gradient,) if _is_object(value)]
    found = [tensors for tensors in gradients if tensors]
    if not found:
        return ()
    bound = {
        target.value for target in rebindings(m.frame.scope) if isinstance(target, cst.Name)
    }  # what a loop binds anew may not be looked at again
    held = _held(m, [v for (frame, name), v in m.state.names.items() if frame == m.frame.id and name not in bound])
    return tuple(tensors[0][1] for tensors in found if held.issuperset(ref for ref, _ in tensors))


@frozen()
class Descent:
    """The computation of a tensor from a leaf alone: by these operations in order, the last one at `at`."""

    leaf: Ref
    steps: tuple[str, ...]
    at: Any


def _is_object(value: Value) -> bool:
    return all(type(option) is Ref for option in alternatives(value))


def require_leaf(m: Interpreter, node: Site, value: Value, use: str, name: str) -> None:
    """Emit that a leaf is required here."""
    shown = m.only(value, Tensor) if not m.is_silent else None
    if shown is None:
        return
    found = _lost(m, value) if shown.leaf.possibly(NO) else None
    refs = [ref for ref, _ in m.all(value, Tensor)]
    m.emit(
        events.LeafRequired,
        node,
        tensor=shown,
        use=use,
        source_leaf=m[found.leaf] if found else None,
        operations=found.steps if found else (),
        last_operation=found.at if found else None,
        holders=holders(m, refs) if shown.leaf is NO else (),
        name=name,
    )


def require_leaves(m: Interpreter, node: Site, values: list[Value], use: str, name: str = "") -> None:
    """Emit that leaves are required here, where some are certainly or perhaps none."""
    for value in values if not m.is_silent else ():
        if any(tensor.leaf.possibly(NO) for _, tensor in m.all(value, Tensor)):
            require_leaf(m, node, value, use, name)


def _lost(m: Interpreter, value: Value) -> Descent | None:
    """The leaf that a value was computed from, if that is certain and nothing else holds it."""
    found = {ref: _descent(m, tensor) for ref, tensor in m.all(value, Tensor)}
    first = next((descent for descent in found.values() if descent is not None), None)
    if first is None or len(found) != len(alternatives(value)):
        return None
    leaves = {ref if descent is None else descent.leaf for ref, descent in found.items()}
    return None if leaves != {first.leaf} or _is_held(m, first.leaf, set(found)) else first


def _descent(m: Interpreter, tensor: Tensor) -> Descent | None:
    """Return the descent of a tensor from a single leaf; None for a leaf, and where it took more."""
    at = next((mark.node for mark in tensor.causes if mark.kind == CauseKind.MADE), None)
    starts, steps = tensor.node, list[str]()
    while len(starts) == 1 and len(steps) < MOST_STEPS:
        ref = starts[0]
        thing = m.state.heap.get(ref) if ref is not None else None
        if type(thing) is Tensor and ref is not None and steps and thing.leaf is YES and thing.requires_grad is YES:
            return Descent(ref, tuple(reversed(steps)), at.node if type(at) is Part else at)
        if type(thing) is not Node:
            return None
        steps.append(thing.op)
        recorded = [part for part in thing.inputs if part not in ((None,), ())]
        starts = recorded[0] if len(recorded) == 1 else ()
    return None


def _is_held(m: Interpreter, leaf: Ref, besides: set[Ref]) -> bool:
    """Return whether something may hold a leaf, other than as an alternative to what was computed from it."""
    values = [*m.state.names.values(), *m.state.stack]
    return leaf in m.effects.handed or leaf in _held(m, values, besides - {leaf})


def _held(m: Interpreter, values: Iterable[Value], besides: AbstractSet[Ref] = frozenset()) -> set[Ref]:
    """All that a program can reach from these values, not through graphs; values that may be one of `besides` are left
    out."""
    seen: set[Ref] = set()
    todo = list(values)
    while todo:
        value = todo.pop()
        if not besides.isdisjoint(alternatives(value)):
            continue
        for ref in references(value):
            if ref not in seen:
                seen.add(ref)
                todo += _held_by(m.state.heap.get(ref))
    return seen


def _held_by(thing: Any) -> list[Value]:
    if isinstance(thing, Container):
        return [*thing.held]
    if isinstance(thing, (Module, Instance)):
        return [*(part for _, part in thing.attributes), getattr(thing, "rest", thing.cls)]
    if isinstance(thing, Class):
        return [part for _, part in thing.members]
    if isinstance(thing, Iterator):
        return [thing.element, thing.source, thing.listed]
    return [ref for part in getattr(thing, "groups", ()) for ref in part if ref is not None]
