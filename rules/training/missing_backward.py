"""A training loop without backward steps with no gradients.

## Why it happens

Computing a loss records the graph, but nothing is differentiated before `backward()` is called. Until
then `.grad` of every parameter is None, and `step()` skips parameters without a gradient. The same holds where
`backward()` is called on a loss that was not computed from the parameters of the optimizer: it was built over another
network, or the loss is that of another.

## What it costs

The weights never change. The loop runs, the loss is printed, and nothing warns.

## When it is right to ignore it

Loops that compute no loss at all, for example to draw the schedule of a learning rate, are not
reported; nor are loops in which other code gets the loss or the parameters, for it may differentiate.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradlint.domain import NO, NONE, YES, Tensor
from gradlint.events import BackwardRun, Called, Event, LoopFinished, ModuleCalled, OptimizerStepped, Recorded
from gradlint.rule import Draft, Findings, Rule, quoted

from ._protocol import is_in_vain, places, pointing_at_uncalled, uncalled

rule = Rule(
    "GRD719",
    "missing-backward",
    "{name} steps in a loop {that}, so no parameter changes",
    help="call `loss.backward()` before the step",
    effect="no effect",
    yields_to=("GRD606", "GRD618"),
    tokens=("step",),
)


OF_A_NUMBER = "builtins.float.backward"
"""A backward that raises, for its own reason (GRD601)."""
NEVER, REACHES_NONE = "that never calls `backward()`", "whose `backward()` reaches other parameters"
BUILD = "build the optimizer over the parameters that the loss is computed from"


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than after steps that had gradients."""
    return not returned.allclose(cured)


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    """No step of the loop ever finds a gradient, and what could give one, a graph, is recorded in vain or
    differentiated by others."""
    steps = places(event.story, OptimizerStepped)
    if not steps or any(type(one) is Called and one.path == OF_A_NUMBER for one in event.story):
        return
    backwards = [one for one in event.story if type(one) is BackwardRun]
    if not (all(_differentiates(one) for one in backwards) if backwards else _records(event.story)):
        return
    for node, found in steps.items():
        again = any(step.later <= YES for step in found)
        if again and all(step.grad <= NONE and is_in_vain(step) for step in found):
            name = quoted(found[0].name, "the optimizer")
            draft = rule.at(node, name=name, that=REACHES_NONE if backwards else NEVER)
            draft = draft.resting_on(*found, *backwards)
            draft = pointing_at_uncalled(draft, uncalled("backward", event.story))
            yield _reaching_others(draft, backwards[0]) if backwards else draft


def _reaching_others(draft: Draft, backward: BackwardRun) -> Draft:
    """The finding with the backward that fills other gradients than those of the optimizer."""
    return draft.note(backward.node, "only other gradients are filled here").advising(BUILD)


def _differentiates(backward: BackwardRun) -> bool:
    """Return whether a backward fills gradients, those of the parameters of others."""
    return backward.root.leaf <= NO and any(
        one.requires_grad <= YES and one.parameter <= YES for one in backward.leaves
    )


def _records(story: Iterable[Event]) -> bool:
    """Return whether a loop records a graph."""
    return any(result.requires_grad <= YES for event in story for result in _recorded(event))


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


@rule.bad
def optimizer_of_another_network():
    import torch
    from torch import nn

    old, model = nn.Linear(2, 1), nn.Linear(2, 1)
    optimizer = torch.optim.SGD(old.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()
        optimizer.step()  # GRD719
    return model.weight.detach()


@rule.good(cures=optimizer_of_another_network)
def optimizer_of_the_network():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()
        optimizer.step()
    return model.weight.detach()
