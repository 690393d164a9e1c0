"""A gradient kept without `.clone()` goes on changing: the next backward adds to it in place.

## Why it happens

`.grad` holds a tensor, and as long as it is not None the next `backward()` adds to that very tensor. A name, a list or
a dict that was given `param.grad` holds the same one. Only after the gradients were set to None, which `zero_grad()`
does by default since torch 2.0, does backward make a new one. With `create_graph=True` it does not write in place.

## What it costs

What was kept as the gradient of one loss is silently the sum of several: comparisons of gradients, gradient
surgery and per-task statistics see equal numbers.

## When it is right to ignore it

Where the sum is what is wanted, or what was kept is not looked at again.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import CauseKind
from gradlint.events import BackwardRun, GradientRead, ModuleFinished
from gradlint.rule import Edit, Findings, Rule

rule = Rule(
    "GRD209",
    "aliased-grad",
    "`backward()` accumulates into `.grad` in place, so the gradient kept earlier changes",
    help="keep `.grad.clone()`, or set the gradients to `None` in between",
    effect="wrong result",
    default=False,
    tokens=("grad",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """What was kept of the first gradient is another number."""
    return not returned.equal(cured)


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    """A copy cures only where the gradient was read: one that was put back (`p.grad = kept`) is another tensor."""
    reads = {event.node for event in end.story if type(event) is GradientRead}
    for event in end.story:
        if type(event) is BackwardRun and event.aliased:
            gradient = event.aliased[0]
            copied = [mark.node for mark in gradient.causes if mark.kind in (CauseKind.MADE, CauseKind.READ)]
            draft = rule.at(event.node).resting_on(event)
            if len(copied) == 1 and copied[0] in reads:
                draft = draft.fix(Edit("wrap", copied[0], after=".clone()"), safety="safe")
            yield draft.marked(gradient.causes, made="kept here", read="read here again")


@rule.bad
def gradients_of_two_losses():
    import torch

    weight = torch.ones(2, requires_grad=True)
    (weight * 1).sum().backward()
    first = weight.grad
    (weight * 2).sum().backward()  # GRD209
    return first


@rule.good(cures=gradients_of_two_losses)
def gradients_of_two_losses_copied():
    import torch

    weight = torch.ones(2, requires_grad=True)
    (weight * 1).sum().backward()
    first = weight.grad.clone()
    (weight * 2).sum().backward()
    return first


@rule.bad
def gradients_collected_per_task():
    import torch
    from torch import nn

    model = nn.Linear(2, 1, bias=False)
    collected = []
    for task in range(3):
        model(torch.full((1, 2), 1.0 + task)).sum().backward()  # GRD209
        collected.append(model.weight.grad)
    return collected[0]


@rule.good(cures=gradients_collected_per_task)
def gradients_cleared_per_task():
    import torch
    from torch import nn

    model = nn.Linear(2, 1, bias=False)
    collected = []
    for task in range(3):
        model.zero_grad()
        model(torch.full((1, 2), 1.0 + task)).sum().backward()
        collected.append(model.weight.grad)
    return collected[0]
