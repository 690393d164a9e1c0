"""Clipping before backward clips nothing: there are no gradients yet.

## Why it happens

`clip_grad_norm_` and `clip_grad_value_` change the gradients that are there when they are called, and
ignore parameters whose `.grad` is None. Before `backward()`, after the gradients were cleared, there
are none: the norm that comes back is 0, and what backward computes next is used as it is.

## What it costs

Training runs unclipped, and the one large gradient that the line was written for goes through in full.

## When it is right to ignore it

A loop that clips and steps first, with the gradients of the iteration before, is right and never
reported: only a line that finds no gradient however often it runs is. Nor is a clip of parameters that
a loss never reaches, because it was cut from them: no other place for the line would help.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradlint.domain import FRESH, MIXED, USED, Graph, Tensor
from gradlint.events import Event, GradientsClipped, ModuleFinished, OptimizerStepped
from gradlint.rule import Edit, Findings, Rule

from ._protocol import GONE, memories, places, some

rule = Rule(
    "GRD706",
    "clip-before-backward",
    "gradients are clipped before `backward()` has filled them",
    help="clip between `backward()` and `step()`",
    effect="no effect",
    tokens=("clip_grad",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights moved further than clipped gradients let them."""
    return bool(returned.abs().sum() > cured.abs().sum())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """The line never finds a gradient, and a step finds those that are computed later."""
    clippings = places(event.story, GradientsClipped)
    steps = [one for one in event.story if type(one) is OptimizerStepped] if clippings else []
    order = _Order.of(event.story) if clippings else _Order()
    for node, found in clippings.items():
        if all(one.grad <= GONE for one in found) or _is_for_later(found, order):
            mine = memories(found[0].parameters)
            using = [step for step in steps if some(_of(step.parameters, mine), FRESH)]
            if using:
                draft = rule.at(node).note(using[0].node, "the step uses gradients computed after clipping")
                if using[0].conditions == found[0].conditions:
                    draft = draft.fix(Edit("move before", node, to=using[0].node), safety="unsafe")
                yield draft.resting_on(*found, using[0])


@dataclass(frozen=True, slots=True)
class _Order:
    """The order of a story: the place of each clipping in it, that of the first step of each parameter and of each run,
    and the parameters that a step may use the gradients of again."""

    at: dict[int, int] = field(default_factory=dict)
    first: dict[Graph | int, int] = field(default_factory=dict)
    again: set[Graph | int] = field(default_factory=set)

    @classmethod
    def of(cls, story: Iterable[Event]) -> _Order:
        """Return that of a file."""
        found = cls()
        for at, event in enumerate(story):
            if type(event) is GradientsClipped:
                found.at[id(event)] = at
            elif type(event) is OptimizerStepped:
                stepped = memories(event.parameters) or {event.run}
                for one in (event.run, *stepped):
                    found.first.setdefault(one, at)
                found.again.update(stepped if event.grad.may(USED) or event.grad.may(MIXED) else ())
        return found


def _is_for_later(found: Sequence[GradientsClipped], order: _Order) -> bool:
    """Return whether the line finds those gradients in later iterations that a step has used, and none uses them again:
    of the first one, before any step, nobody knows what there was when a model was passed in."""
    first, *later = found
    about: set[Graph | int] = {first.run, *memories(first.parameters)}
    if not later or first.grad <= FRESH or not about.isdisjoint(order.again):
        return False
    before = any(order.first.get(one, order.at[id(first)]) < order.at[id(first)] for one in about)
    return not before and all(one.grad <= GONE | USED for one in later)


def _of(parameters: Iterable[Tensor], mine: frozenset[Graph]) -> Iterator[Tensor]:
    """Yield the parameters of these that were clipped."""
    return (one for one in parameters if not mine.isdisjoint(memories([one])))


@rule.bad
def clipped_before_backward():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(2):
        optimizer.zero_grad()
        loss = 100 * model(torch.ones(1, 1)).sum()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # GRD706
        loss.backward()
        optimizer.step()
    return model.weight.detach()


@rule.good(cures=clipped_before_backward)
def clipped_after_backward():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(2):
        optimizer.zero_grad()
        loss = 100 * model(torch.ones(1, 1)).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model.weight.detach()
