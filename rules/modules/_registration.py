"""Registration, for the rules about it: where an attribute was set, and what is trained all the same."""

from __future__ import annotations

from collections.abc import Iterator

from gradlint.domain import CauseKind, Module, Syntax, Tensor, Unknown
from gradlint.events import AttributeAssigned, ModuleBuilt, ModuleFinished, OptimizerBuilt, Unregistered

Held = tuple[ModuleBuilt, Unregistered, AttributeAssigned]
"""A module that was built, what it has not registered, and where it was set."""


def unregistered(event: ModuleFinished) -> Iterator[Held]:
    """All that modules of the file have not registered, where no optimizer was given it by hand."""
    assigned: dict[tuple[object, str], AttributeAssigned] = {}
    unclear: set[str] = set()
    by_hand: set[Syntax] = set()
    for happened in event.story:
        if isinstance(happened, AttributeAssigned) and isinstance(happened.owner, Module):
            assigned[happened.owner.cls, happened.attr] = happened
        elif isinstance(happened, AttributeAssigned) and isinstance(happened.owner, Unknown):
            unclear.add(happened.attr)
        elif isinstance(happened, OptimizerBuilt):
            by_hand.update(place for tensor in happened.parameters for place in made_at(tensor))
    for built in (happened for happened in event.story if isinstance(happened, ModuleBuilt)):
        for held in built.unregistered:
            place = assigned.get((built.module.cls, held.attr))
            if place is None or held.attr in unclear:
                continue
            if not any(at in by_hand for tensor in held.trained for at in made_at(tensor)):
                yield built, held, place


def made_at(thing: Tensor | Module) -> Iterator[Syntax]:
    """The places at which a thing may have been made."""
    return (mark.node for mark in thing.causes if mark.kind == CauseKind.MADE)
