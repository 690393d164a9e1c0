"""Cuts: where a value left the graph of what it was computed from."""

from __future__ import annotations

from collections.abc import Iterable

from gradlint.domain.facts import YES
from gradlint.domain.objects import Array, Container, Tensor
from gradlint.domain.provenance import MOST_CAUSES, Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import PythonNumber, Value
from gradlint.interpreter.engine.history import DEEPEST, cut_at, tensors_in
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site

MODE, IN_VAIN = "no_grad", "enable_grad"
"""The names of cuts where gradients were off, and where they were enabled in vain, inside inference mode: then it
stands where the mode was set, if that is known. Else it is by an operation or a function, where that was called."""


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


def cut_off(m: Interpreter, node: Site, by: str, values: Iterable[Value]) -> tuple[Cause, ...]:
    """The cuts behind what is computed here outside of the graph: here, where one of the values may require grad."""
    values, mark = list(values), Cause(CauseKind.CUT, getattr(node, "node", node), by)
    cut_at(m, mark, values)
    here = (mark,) if any(tensor.requires_grad.possibly(YES) for tensor in tensors_in(m, values)) else ()
    return (*here, *cuts(m, values))[:MOST_CAUSES]
