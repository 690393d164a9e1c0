"""Optimizers that hold parameters, and others that look at their gradients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradlint.domain import NO, Memories, Syntax, made_at, memories, places
from gradlint.events import (
    Event,
    GradientRead,
    GradientsCleared,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
    Run,
)
from gradlint.rule import runs_around


def held_by_some(end: ModuleFinished, built: Sequence[OptimizerBuilt]) -> Memories:
    """The parameters that an optimizer holds, whichever of those made there they are: one that is never stepped though
    others that are made where it is are (each network has its own, a target network as well) holds them for nothing."""
    steps = [event for event in end.story if isinstance(event, OptimizerStepped)]
    stepped = places(memories(tensor for event in steps for tensor in event.parameters))
    sites = {at for event in steps for at in made_at(event.optimizer)}
    given = [places(memories(event.parameters)) for event in built if event.node not in sites]
    return stepped.union(*given)


def read_by_somebody(end: ModuleFinished) -> Memories:
    """The tensors whose gradients are read."""
    return memories(event.tensor for event in end.story if isinstance(event, GradientRead))


def cleared_by_somebody(end: ModuleFinished) -> Memories:
    """The parameters whose gradients are cleared."""
    return memories(one for event in end.story if isinstance(event, GradientsCleared) for one in event.parameters)


def with_unseen_optimizers(
    end: ModuleFinished, runs: Mapping[int, Run], built: Sequence[OptimizerBuilt]
) -> set[Syntax]:
    """The functions and classes in which something steps that was not seen to be made, at no time: nobody knows what
    else it trains."""
    seen = {event.node for event in built}
    steps = [event for event in end.story if isinstance(event, OptimizerStepped)]
    known = {event.node for event in steps if event.optimizer.open <= NO or seen.intersection(made_at(event.optimizer))}
    return {home(runs, event) for event in steps if event.node not in known}


def home(runs: Mapping[int, Run], event: Event) -> Syntax:
    """The class of the function in which something happened that nobody called, or that function; None for a script."""
    outermost = [*runs_around(event, runs)][-1:]
    functions = [run.function for run in outermost if run.function is not None]
    return (functions[0].owner or functions[0].node) if functions else None
