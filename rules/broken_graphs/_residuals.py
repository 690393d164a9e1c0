"""Residuals of equations: sums of what a network gives and of derivatives of that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gradlint.domain import NO, YES, Cause, CutKind, Graph, Memory, Syntax, Tensor, memories
from gradlint.events import BackwardRun, ModuleCalled, ModuleFinished, Recorded

from ._cutting import cut_by
from ._goals import FITS
from ._terms import nodes_of

ADDING = frozenset({"add", "sub"})
"""The operations that make a sum."""
COMPARING = ADDING | FITS
"""Those that compare two tensors as well."""
DETACH = "detach"
"""The operation by which a program says that a term is to be a constant."""


@dataclass(frozen=True, slots=True)
class Residual:
    """A derivative that was taken without a graph at `mark` is added at `sum` to what was computed from the very thing
    that was differentiated there, or compared with it, and the result is differentiated."""

    mark: Cause
    sum: Recorded


def residuals(end: ModuleFinished) -> Iterator[Residual]:
    """Yield the derivatives that are constants in a residual. What a gradient is added to by which it was taken (a step
    of an attack, of a sampler, of a learner inside another) is no such sum."""
    runs = [event for event in end.story if isinstance(event, BackwardRun) and event.how == "grad"]
    if not runs:
        return
    outputs = _Outputs(end)
    of: dict[Syntax, frozenset[Graph]] = {}
    by: dict[frozenset[Memory], frozenset[Graph]] = {}
    for event in end.story:
        if isinstance(event, BackwardRun) and event.how == "grad":
            inputs = memories(event.inputs or ())
            found = outputs.behind(event.graph) or by.get(inputs, frozenset())
            by[inputs] = of[event.node] = found
        elif isinstance(event, Recorded) and event.op in COMPARING and not end.used.isdisjoint(_nodes([event.result])):
            for mark, others in _constants(event):
                if not outputs.behind(_nodes(others)).isdisjoint(of.get(mark.node, ())):
                    yield Residual(mark, event)


class _Outputs:
    """The results of the networks of a file, and the way from each graph node back to them."""

    def __init__(self, end: ModuleFinished) -> None:
        calls = [event for event in end.story if isinstance(event, ModuleCalled) and not event.nested]
        self._given = frozenset(graph for call in calls for graph in call.graph)
        self._operands: dict[Graph, frozenset[Graph]] = {}
        for event in end.story:
            if isinstance(event, Recorded):
                self._operands |= dict.fromkeys(_nodes([event.result]) - self._given, _nodes(event.operands))

    def behind(self, graph: Iterable[Graph]) -> frozenset[Graph]:
        """Return the results of networks that these nodes were computed from, the last ones on each way."""
        seen, todo = set[Graph](), [*graph]
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += self._operands.get(one, ())
        return self._given & seen


def _constants(event: Recorded) -> Iterator[tuple[Cause, list[Tensor]]]:
    """Yield the cuts of the operands that are derivatives without a graph, each with the others that have one."""
    for one in event.operands:
        mark = cut_by(CutKind.DIFFERENTIATED, one.causes) if one.requires_grad <= NO else None
        if mark is not None and one.made != DETACH:
            yield mark, [other for other in event.operands if other is not one and other.requires_grad <= YES]


def _nodes(tensors: Iterable[Tensor]) -> frozenset[Graph]:
    return frozenset(graph for tensor in tensors for graph in nodes_of(tensor))
