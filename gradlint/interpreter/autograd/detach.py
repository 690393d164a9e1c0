"""Cuts: where a value left the graph of what it was computed from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradlint.domain.facts import YES, Truth
from gradlint.domain.objects import Array, Container, Tensor
from gradlint.domain.provenance import MOST_CAUSES, Cause, CauseKind, CutKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import PythonNumber, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.history import DEEPEST, cut_at, tensors_in
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site

CUTTING = {
    **dict.fromkeys(("item", "tolist"), CutKind.NUMBER),
    **dict.fromkeys(("detach", "detach_", "data", "numpy", "state_dict"), CutKind.DETACHED),
}
"""The kinds of the cuts that operations make; others have no derivative."""


def cut_by(node: Site, by: str) -> Cause:
    """Return the cut that an operation makes where it is called."""
    return Cause(CauseKind.CUT, getattr(node, "node", node), by, how=CUTTING.get(by, CutKind.OPERATION))


def cut_by_mode(node: Any, grad_mode: Truth) -> Cause:
    """Return the cut where gradients are off, or enabled in vain: where the mode was set, if that is known."""
    return Cause(CauseKind.CUT, node, how=CutKind.IN_VAIN if grad_mode is YES else CutKind.MODE)


def cuts(m: Interpreter, values: Iterable[Value], depth: int = 0) -> tuple[Cause, ...]:
    """Return the cuts that took anything these values were computed from off its graph."""
    found: dict[Cause, None] = {}
    for option in (option for value in values for option in alternatives(value)):
        if type(option) is PythonNumber:
            found |= dict.fromkeys(option.cuts)
        elif type(option) is Ref:
            thing = m.state.heap.get(option)
            if type(thing) is Tensor or type(thing) is Array:
                found |= {mark: None for mark in thing.causes if mark.kind == CauseKind.CUT}
            elif type(thing) is Container and depth < DEEPEST:
                found |= dict.fromkeys(cuts(m, thing.held, depth + 1))
    return tuple(found)[:MOST_CAUSES]


def cut_off(
    m: Interpreter, node: Site, by: str, values: Iterable[Value], how: CutKind | None = None
) -> tuple[Cause, ...]:
    """The cuts behind what is computed here outside of the graph: here, where one of the values may require grad."""
    values, mark = list(values), cut_by(node, by)
    mark = mark if how is None else replace(mark, how=how)
    cut_at(m, mark, values)
    here = (mark,) if any(tensor.requires_grad.possibly(YES) for tensor in tensors_in(m, values)) else ()
    return (*here, *cuts(m, values))[:MOST_CAUSES]
