"""Backwards by which only the gradient of an input is wanted, though they fill those of a network as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradlint.domain import NO, YES, Memory, Syntax, Tensor, memories, places
from gradlint.events import (
    BackwardRun,
    Event,
    GradientRead,
    GradientsCleared,
    ModuleBuilt,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
)


@dataclass(frozen=True)
class Attack:
    """A backward for the gradient of an input, which is read, that fills the gradients of a `network` for nobody."""

    run: BackwardRun
    read: GradientRead
    network: frozenset[Memory]


def attacks(end: ModuleFinished) -> Iterator[Attack]:
    """Yield the attacks in loops that fill gradients which no optimizer steps by and nobody reads or clears, of
    networks that are made here: others may have been frozen by who made them, or are cleared there."""
    cared_for = places(memories(one for event in end.story for one in _cared_for(event)))
    made = places(memories(one for event in end.story if isinstance(event, ModuleBuilt) for one in event.parameters))
    stepped = memories(one for event in end.story if isinstance(event, OptimizerStepped) for one in event.parameters)
    read: dict[Memory, GradientRead] = {}
    told = set[Syntax]()
    for event in reversed(end.story):
        if isinstance(event, GradientRead) and not event.guard and event.tensor.storage:
            read[event.tensor.storage] = event
        elif isinstance(event, BackwardRun) and event.how == "backward" and event.later <= YES:
            sure = [leaf for at, leaf in enumerate(event.leaves) if event.certain >> at & 1 and leaf.storage]
            asked = [leaf.storage for leaf in sure if leaf.parameter <= NO and leaf.storage not in stepped]
            mine = next((read[memory] for memory in asked if memory in read), None)
            network = memories(leaf for leaf in sure if leaf.parameter <= YES and leaf.requires_grad <= YES)
            reached = places(_of_networks(event))
            wasted = event.inputs is None and network and places(network) <= made and not reached & cared_for
            if mine is not None and wasted and event.node not in told:
                told.add(event.node)
                yield Attack(event, mine, network)


def _of_networks(event: BackwardRun) -> frozenset[Memory]:
    """The parameters of networks that a backward may reach."""
    return memories(leaf for leaf in event.leaves if not leaf.parameter <= NO)


def _cared_for(event: Event) -> Sequence[Tensor]:
    """The parameters that an optimizer holds, and those whose gradients are cleared or read."""
    if isinstance(event, OptimizerBuilt | OptimizerStepped | GradientsCleared):
        return event.parameters
    return (event.tensor,) if isinstance(event, GradientRead) else ()
