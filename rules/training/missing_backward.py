"""A training loop without backward steps with no gradients.

## Why it happens

Computing a loss records the graph, but nothing is differentiated before `backward()` is called. Until
then `.grad` of every parameter is None, and `step()` skips parameters without a gradient.

## What it costs

The weights never change. The loop runs, the loss is printed, and nothing warns.

## When it is right to ignore it

Loops that compute no loss at all, for example to draw the schedule of a learning rate, are not
reported; nor are loops in which other code gets the loss or the parameters, for it may differentiate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradlint.domain import NONE, YES, Tensor
from gradlint.events import BackwardRun, Event, LoopFinished, ModuleCalled, OptimizerStepped, Recorded
from gradlint.rule import Findings, Rule, believed, quoted

from ._protocol import is_in_vain, places, pointing_at_uncalled, uncalled

rule = Rule(
    "GRD719",
    "missing-backward",
    "{name} steps in a loop that never calls `backward()`, so no parameter changes",
    help="call `loss.backward()` before the step",
    effect="no effect",
    yields_to=("GRD606",),
    tokens=("step",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than after steps that had gradients."""
    return not returned.allclose(cured)


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    """No step of the loop ever finds a gradient, and the graph that could give one is recorded in vain."""
    steps = places(event.story, OptimizerStepped)
    if not steps or not _computes_in_vain(event.story):
        return
    for node, found in steps.items():
        again = any(step.later <= YES for step in found)
        if again and all(step.grad <= NONE and is_in_vain(step) for step in found):
            draft = rule.at(node, name=quoted(found[0].name, "the optimizer"))
            draft = draft.lowered(max(believed(step) for step in found))
            yield pointing_at_uncalled(draft, uncalled("backward", event.story))


def _computes_in_vain(story: Iterable[Event]) -> bool:
    """Whether a loop records a graph and differentiates nothing."""
    recorded = False
    for event in story:
        if type(event) is BackwardRun:
            return False
        recorded = recorded or any(result.requires_grad <= YES for result in _recorded(event))
    return recorded


def _recorded(event: Event) -> tuple[Tensor, ...]:
    if isinstance(event, Recorded):
        return (event.result,)
    return (event.recorded,) if isinstance(event, ModuleCalled) and event.recorded is not None else ()


@rule.bad
def loss_never_differentiated():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).mean()
        print(loss.item())
        optimizer.step()  # GRD719
    return model.weight.detach()


@rule.good(cures=loss_never_differentiated)
def loss_differentiated():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()
        print(loss.item())
        optimizer.step()
    return model.weight.detach()
