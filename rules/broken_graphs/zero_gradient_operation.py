"""Rounding and signs have a gradient of zero, and nothing that is computed before them is trained.

## Why it happens

`round`, `floor`, `ceil`, `trunc` and `sign` are constant between their jumps. Their derivative is zero wherever
it exists; autograd records them and multiplies by that zero. A loss that is reached only through such an operation
has a gradient, of zeros. `x // y` is no better: it is recorded, and its backward is not implemented.

## What it costs

Every parameter gets a gradient of exactly zero: weight decay and momentum may still move it, the loss does
not. Nothing is raised, except by floor division (`RuntimeError` at backward, in torch 2.13).

## When it is right to ignore it

Never known to be where it is reported: on every way from the loss to a leaf there is such an operation. A
straight-through estimator, `x + (x.round() - x).detach()`, has a way around it.
"""

from __future__ import annotations

from typing import Any

from gradlint.events import BackwardRun
from gradlint.rule import Findings, Raises, Rule, quoted

rule = Rule(
    "GRD605",
    "zero-gradient-operation",
    "every path to {name} goes through {operation}, {so}",
    help="pass the gradient straight through: `x + (x.round() - x).detach()`",
    effect="wrong result",
    tokens=("round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "floor_divide", "//"),
)
REFUSED = Raises(RuntimeError, "derivative for aten::floor_divide is not implemented")
WITHOUT_DERIVATIVE = "floor_divide"


def consequence(returned: Any) -> bool:
    """The gradient is there, and zero."""
    return returned.grad is not None and not returned.grad.any()


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    if not event.zero_gradient_ops:
        return
    refused = any(mark.by == WITHOUT_DERIVATIVE for mark in event.zero_gradient_ops)
    draft = rule.at(
        event.node,
        name=quoted(event.name, "the output"),
        operation=f"`{event.zero_gradient_ops[0].by}`",
        so="which has no derivative in torch" if refused else "whose gradient is zero",
    )
    draft = draft.doing("error") if refused else draft
    yield draft.marked(event.zero_gradient_ops, flat="constant between its jumps, so no gradient gets through")


@rule.bad
def rounded_weights():
    import torch

    weight = torch.full((3,), 1.4, requires_grad=True)
    loss = (weight.round() - 2).pow(2).sum()
    loss.backward()  # GRD605
    return weight


@rule.good(cures=rounded_weights)
def rounded_straight_through():
    import torch

    weight = torch.full((3,), 1.4, requires_grad=True)
    rounded = weight + (weight.round() - weight).detach()
    loss = (rounded - 2).pow(2).sum()
    loss.backward()
    return weight


@rule.bad
def signs_of_a_helper():
    import torch
    from torch import nn

    def binarised(x):
        return torch.sign(x)

    model = nn.Linear(2, 4)
    loss = (binarised(model(torch.ones(1, 2))) - 1).abs().mean()
    loss.backward()  # GRD605
    return model.weight


@rule.good(cures=signs_of_a_helper)
def smooth_signs_of_a_helper():
    import torch
    from torch import nn

    def binarised(x):
        return torch.tanh(x)

    model = nn.Linear(2, 4)
    loss = (binarised(model(torch.ones(1, 2))) - 1).abs().mean()
    loss.backward()
    return model.weight


@rule.bad(shows=REFUSED)
def floor_division():
    import torch

    price = torch.tensor([7.5], requires_grad=True)
    (price // 2).sum().backward()  # GRD605
    return price


@rule.good(cures=floor_division)
def true_division():
    import torch

    price = torch.tensor([7.5], requires_grad=True)
    (price / 2).sum().backward()
    return price
