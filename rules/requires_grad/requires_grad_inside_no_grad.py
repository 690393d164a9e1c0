"""`torch.no_grad()` does not keep a factory from making a leaf that requires grad.

## Why it happens

Switching gradients off stops the recording of operations: what is computed inside does not require grad. A
factory computes nothing, it starts a new leaf, and `requires_grad=True` is obeyed in every grad mode. So the
tensor made inside the block requires grad, and what is computed from it in the block does not.

## What it costs

What was meant to be plain data takes part in later graphs and gathers a gradient; or what was meant to be
trained is cut off at once, because the operations on it were not recorded.

## When it is right to ignore it

Where a leaf is made inside on purpose, to be used outside. Building modules with gradients off is common and
right: their parameters are meant to require grad, and they are not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, AskKind
from gradlint.events import RequiresGradChanged
from gradlint.rule import Findings, Rule

rule = Rule(
    "GRD111",
    "requires-grad-inside-no-grad",
    "`requires_grad=True` makes a leaf that requires grad even with gradients disabled",
    help="leave out `requires_grad=True`, or create the tensor outside the block",
    effect="no effect",
    default=False,
    tokens=("requires_grad",),
)


def consequence(returned: Any) -> bool:
    """The tensor requires grad, though it was made with gradients off."""
    return bool(returned.requires_grad)


@rule.on(RequiresGradChanged)
def check(event: RequiresGradChanged) -> Findings:
    if event.by is AskKind.FACTORY and event.to <= YES and (event.grad_mode <= NO or event.inference <= YES):
        yield rule.at(event.node)


@rule.bad
def noise_made_without_gradients():
    import torch

    with torch.no_grad():
        noise = torch.randn(2, 8, requires_grad=True)  # GRD111
    return noise


@rule.good(cures=noise_made_without_gradients)
def noise_that_is_plain_data():
    import torch

    with torch.no_grad():
        noise = torch.randn(2, 8)
    return noise


@rule.bad
def running_mean_of_a_decorated_function():
    import torch

    @torch.no_grad()
    def statistics(values):
        mean = torch.zeros(4, requires_grad=True)  # GRD111
        for value in values:
            mean.copy_(0.9 * mean + 0.1 * value)
        return mean

    return statistics(torch.ones(3, 4))


@rule.good(cures=running_mean_of_a_decorated_function)
def running_mean_that_nobody_differentiates():
    import torch

    @torch.no_grad()
    def statistics(values):
        mean = torch.zeros(4)
        for value in values:
            mean.copy_(0.9 * mean + 0.1 * value)
        return mean

    return statistics(torch.ones(3, 4))
