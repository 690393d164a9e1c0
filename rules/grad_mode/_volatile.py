"""The flag of old that was to switch gradients off for all that is computed from a tensor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gradlint.domain import CauseKind, Constant, Syntax, Tensor
from gradlint.events import AttributeAssigned, Called, Event, Recorded, Thing

FLAG_OF_VARIABLE = 2
"""Its place among the arguments of `Variable`."""


def flags(story: Sequence[Event]) -> dict[Syntax, set[Syntax]]:
    """Return the places that mark what is made at a place, or what it is computed from, as `volatile`; nothing where a
    helper marks it for some of its callers."""
    flags: dict[Syntax, set[Syntax]] = {}
    plain = {one.node for one in story if _wraps(one) and _marked(one) is None}
    for event in story:
        if event.node not in plain and (marked := _marked(event)) is not None:
            for place in _made_at(marked):
                flags.setdefault(place, set()).add(event.node)
        elif flags and isinstance(event, Recorded):
            inherited = [
                flag for operand in event.operands for place in _made_at(operand) for flag in flags.get(place, ())
            ]
            if inherited:
                flags.setdefault(event.node, set()).update(inherited)
    return flags


def flags_of(things: Iterable[Thing], flags: Mapping[Syntax, set[Syntax]]) -> list[Syntax]:
    """Return the places that marked these tensors, or what they were computed from, of all that were."""
    wanted = [place for thing in things if isinstance(thing, Tensor) for place in _made_at(thing)]
    return list(dict.fromkeys(flag for place in wanted for flag in flags.get(place, ())))


def _wraps(event: Event) -> bool:
    return isinstance(event, Called) and event.path == "torch.autograd.Variable"


def _marked(event: Event) -> Thing | None:
    """The tensor that is marked here."""
    if isinstance(event, Called) and _wraps(event):
        given = [dict(event.keywords).get("volatile"), *event.args[FLAG_OF_VARIABLE:]]
        return event.result if any(isinstance(one, Constant) and one.value for one in given) else None
    if isinstance(event, AttributeAssigned) and event.attr == "volatile":
        return event.owner if isinstance(event.value, Constant) and event.value.value else None
    return None


def _made_at(thing: Thing) -> list[Syntax]:
    return [mark.node for mark in getattr(thing, "causes", ()) if mark.kind is CauseKind.MADE]
