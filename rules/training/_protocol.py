"""The protocol of the training loop, for the rules on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from gradlint.domain import LOST, NO, NONE, CauseKind, Grad, Graph, Optimizer, Syntax, Tensor
from gradlint.events import Event, OptimizerStepped, ResultDiscarded, WrittenInPlace
from gradlint.rule import Draft

EventT = TypeVar("EventT", bound=Event)

GONE = NONE | LOST
"""A gradient that is not there: never filled, or cleared."""


def places(story: Iterable[Event], kind: type[EventT]) -> dict[Syntax, list[EventT]]:
    """The events of a kind by their place: one mistake is made at one place, however often the line runs."""
    found: dict[Syntax, list[EventT]] = {}
    for event in story:
        if type(event) is kind:
            found.setdefault(event.node, []).append(event)
    return found


def some(parameters: Iterable[Tensor], grad: Grad) -> bool:
    """Return whether the gradient of one of these certainly stands so."""
    return any(tensor.grad <= grad for tensor in parameters)


def memories(parameters: Iterable[Tensor]) -> frozenset[Graph]:
    """Return the memory of parameters, which distinguishes them, and again in another event."""
    return frozenset(ref.key for tensor in parameters for ref in tensor.storage)


def is_divided(write: WrittenInPlace) -> bool:
    """Return whether a program divides or multiplies a gradient itself, as unscaling does."""
    return write.target.made in ("grad", "autograd.grad") and write.op.rpartition(".")[2].strip("_") in DIVIDING


DIVIDING = frozenset({"div", "true_divide", "divide", "mul", "multiply", "truediv"})


def is_in_vain(step: OptimizerStepped) -> bool:
    """Return whether a step certainly finds no gradient at all."""
    return step.grad <= GONE and not holds_others(step.optimizer)


def holds_others(optimizer: Any) -> bool:
    """Return whether an optimizer may hold parameters that were not seen."""
    return not (isinstance(optimizer, Optimizer) and optimizer.open <= NO)


def made_at(thing: Any) -> Iterator[Syntax]:
    """Yield the places that may have made a thing: they distinguish optimizers."""
    return (mark.node for mark in getattr(thing, "causes", ()) if mark.kind is CauseKind.MADE)


def uncalled(method: str, story: Iterable[Event]) -> Syntax:
    """Return the place where that method is named without being called; None where it is not."""
    named = (event for event in story if isinstance(event, ResultDiscarded))
    return next((event.node for event in named if getattr(event.value, "name", "") == method), None)


def pointing_at_uncalled(draft: Draft, place: Syntax) -> Draft:
    """The finding with a note where a method is named without being called."""
    return draft if place is None else draft.note(place, "names the method and does not call it")
