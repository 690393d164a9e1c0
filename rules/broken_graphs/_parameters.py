"""Modules by the parameters that they have."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gradlint.domain import Memory, made_at
from gradlint.events import Event, ModuleBuilt, ModuleCalled


def modules_of(parameters: Collection[Memory], story: Sequence[Event]) -> list[str]:
    """Return the names of the called modules that have these parameters and no others, without their parts."""
    calls = [event for event in story if isinstance(event, ModuleCalled) and event.name]
    names = {place: call.name for call in calls for place in made_at(call.module)}
    owner: dict[Memory, str] = {}
    for event in story:
        if isinstance(event, ModuleBuilt) and event.node in names:
            own = [parameter.storage for parameter in event.parameters]
            if all(memory in parameters for memory in own):
                owner |= dict.fromkeys(own, names[event.node])  # a whole is made after its parts
    return list(dict.fromkeys(owner.values()))
