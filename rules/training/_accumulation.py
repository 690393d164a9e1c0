"""Loops that accumulate gradients: they differentiate every batch and step every so many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gradlint.domain import Graph, Syntax
from gradlint.events import BackwardRun, Event, LoopFinished, OptimizerStepped

from ._protocol import holds_others, memories


@dataclass(frozen=True, slots=True)
class Accumulation:
    """Steps at one place, taken every so many iterations, and the backwards that fill what they use each time."""

    step: OptimizerStepped
    guards: frozenset[Syntax]
    backwards: tuple[BackwardRun, ...]
    parameters: frozenset[Graph]

    def is_free(self, event: Event) -> bool:
        """Return whether something happens in the iterations without a step as well."""
        return self.guards.isdisjoint(test for test, _ in event.conditions)


def accumulations(event: LoopFinished) -> Iterator[Accumulation]:
    """The accumulations of a loop, one for each place at which it steps now and then."""
    if not event.periodic:
        return
    seen: set[int] = set()
    for step in event.story:
        if type(step) is OptimizerStepped and id(step.node) not in seen and not holds_others(step.optimizer):
            seen.add(id(step.node))
            guards = frozenset(test for test, _ in step.conditions if test in event.periodic)
            if guards:
                yield from _filled_each_time(event, step, guards)


def _filled_each_time(event: LoopFinished, step: OptimizerStepped, guards: frozenset[Syntax]) -> Iterator[Accumulation]:
    mine = memories(step.parameters)
    filling = [one for one in event.story if type(one) is BackwardRun and one.how == "backward"]
    filling = [one for one in filling if not mine.isdisjoint(memories(one.leaves))]
    found = Accumulation(step, guards, tuple(filling), mine)
    if filling and all(found.is_free(one) for one in filling):
        yield found
