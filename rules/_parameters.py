"""What the rules on who is trained by what have in common: parameters told apart by their memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gradlint.domain import Module, Optimizer, Ref, Syntax, Tensor
from gradlint.events import Event, ModuleBuilt, ModuleCalled

Memory = tuple[Ref, ...]


def memories(tensors: Iterable[Tensor]) -> frozenset[Memory]:
    """The memories of tensors, which tell parameters apart wherever they appear."""
    return frozenset(tensor.storage for tensor in tensors if tensor.storage)


def places(memories: Iterable[Memory]) -> frozenset[Memory]:
    """Where these memories were made, whichever of those made there they are."""
    return frozenset([tuple([ref._replace(age=0) for ref in memory]) for memory in memories])


def modules_of(parameters: Collection[Memory], story: Sequence[Event]) -> list[str]:
    """How the program writes the modules it calls that have these parameters and no others, without their parts."""
    calls = [event for event in story if isinstance(event, ModuleCalled) and event.name]
    names = {place: call.name for call in calls for place in made_at(call.module)}
    owner: dict[Memory, str] = {}
    for event in story:
        if isinstance(event, ModuleBuilt) and event.node in names:
            own = [parameter.storage for parameter in event.parameters]
            if all(memory in parameters for memory in own):
                owner |= dict.fromkeys(own, names[event.node])  # a whole is made after its parts
    return list(dict.fromkeys(owner.values()))


def made_at(thing: Module | Optimizer) -> list[Syntax]:
    """The places at which a module or an optimizer may have been made."""
    return [mark.node for mark in thing.marks if mark.how == "made"]
