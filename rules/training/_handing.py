"""Gradients that one network's backward fills and another network's parameters are given to step by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from gradlint.domain import FRESH, MIXED, NONE, YES, CauseKind, Graph, Syntax, Tensor
from gradlint.events import (
    AttributeAssigned,
    BackwardRun,
    Copied,
    Event,
    GradientRead,
    GradientsCleared,
    LoopFinished,
    ModuleBuilt,
    ModuleFinished,
    OptimizerStepped,
)

from ._protocol import memories

Parts = frozenset[Graph]
"""The memories that tensors may lie in: a loop over several parameters is over one that may be any of them."""


@dataclass
class Handing:
    """The gradients of the parameters in `source`, filled by `filled`, are made those of `receivers` at `given`, and
    `step` uses them there. `again` says what a later backward there found in them: whether it certainly added to what
    was used (True), or certainly began anew (False)."""

    given: AttributeAssigned
    source: Parts
    receivers: Parts
    filled: BackwardRun
    step: OptimizerStepped | None = None
    again: bool | None = None


def added_to(end: ModuleFinished) -> Iterator[Handing]:
    """Yield the gradients that other parameters are given and step by, and that nothing clears where they were filled,
    although those of the receivers are set to None each time. What is made anew in each round starts without any."""
    cleared = [one for one in end.story if isinstance(one, GradientsCleared)]
    gone = memories(tensor for one in cleared for tensor in one.parameters)
    gone |= memories(one.owner for one in end.story if _sets_gradient(one) and isinstance(one.owner, Tensor))
    let_go = memories(tensor for one in cleared if one.to_none <= YES for tensor in one.parameters)
    zeroed = memories(tensor for one in cleared if not one.to_none <= YES for tensor in one.parameters)
    loops = [one for one in end.story if isinstance(one, LoopFinished)]
    copying = {one.run for one in end.story if isinstance(one, Copied)}
    for one in _handed(end.story):
        certain = one.again is True
        known = one.receivers <= let_go and one.filled.run not in copying and not _is_made_again(one, loops)
        spared = one.source & gone or one.receivers & zeroed  # with zeros it is the one tensor of both that is cleared
        if one.step is not None and not spared and (certain or (one.again is None and known)):
            yield one


def _sets_gradient(event: Event) -> TypeGuard[AttributeAssigned]:
    return isinstance(event, AttributeAssigned) and event.attr == "grad"


def _is_made_again(one: Handing, loops: Sequence[LoopFinished]) -> bool:
    """Return whether each round of a loop makes the module whose gradients are handed on there."""
    within = [loop.story for loop in loops if one.filled in loop.story]
    made = (event.parameters for story in within for event in story if isinstance(event, ModuleBuilt))
    return any(one.source & memories(parameters) for parameters in made)


def _handed(story: Sequence[Event]) -> list[Handing]:
    """Follow the gradients that are handed on, each way once."""
    reads: dict[Syntax, Parts] = {}
    found: dict[tuple[Syntax, Syntax], Handing] = {}
    last: BackwardRun | None = None
    for event in story:
        if isinstance(event, GradientRead):
            reads[event.node] = memories([event.tensor])
        elif _sets_gradient(event) and last is not None and isinstance(event.owner, Tensor):
            receivers, source = memories([event.owner]), _given(event, reads)
            if source and not source & receivers and source & memories(last.leaves):
                one = found.setdefault((last.node, event.node), Handing(event, source, receivers, last))
                one.source, one.receivers = one.source | source, one.receivers | receivers
        elif isinstance(event, OptimizerStepped):
            now = memories(event.parameters)
            for one in found.values():
                if one.step is None and (one.receivers & now or event.optimizer.open.may(YES)):
                    one.step = event
        elif isinstance(event, BackwardRun) and event.how == "backward":
            last = event
            for one in found.values():
                if one.filled.node is event.node and one.step is not None:
                    one.again = _again(one, event)
    return [*found.values()]


def _given(event: AttributeAssigned, reads: dict[Syntax, Parts]) -> Parts:
    """The parameters whose gradient is assigned itself, not a copy of it."""
    marks = event.value.causes if isinstance(event.value, Tensor) else ()
    nodes = [event.given, *(mark.node for mark in marks if mark.kind in (CauseKind.MADE, CauseKind.READ))]
    return Parts().union(*(reads.get(node, frozenset()) for node in nodes))


def _again(one: Handing, event: BackwardRun) -> bool | None:
    """Return whether a later backward adds to the gradients that were handed on (None: nobody knows)."""
    leaves = [(at, leaf) for at, leaf in enumerate(event.leaves) if memories([leaf]) & one.source]
    if any(event.certain >> at & 1 and leaf.requires_grad <= YES and leaf.grad <= FRESH | MIXED for at, leaf in leaves):
        return True
    return False if all(leaf.grad <= NONE for _, leaf in leaves) else one.again
