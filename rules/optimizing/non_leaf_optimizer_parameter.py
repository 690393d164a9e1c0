"""An optimizer takes leaves only.

## Why it happens

Optimizing means changing the values that everything else is computed from. A tensor that was itself
computed from something that requires grad is no such value: its gradient goes on to what it was
computed from, `.grad` stays None, and the next forward pass computes it anew. Usually the scaling, the
cast or the move to another device comes after `requires_grad=True` and should come before.

## What it costs

The constructor of the optimizer raises `ValueError`, unless the tensor retains its gradient or the
optimizer is `differentiable`.

## When it is right to ignore it

Never known to be.
"""

from __future__ import annotations

from gradlint.domain import NO, YES, Tensor
from gradlint.events import OptimizerBuilt
from gradlint.rule import Findings, Raises, Rule

rule = Rule(
    "GRD713",
    "non-leaf-optimizer-parameter",
    "the result of {op} is not a leaf, and an optimizer accepts leaves only",
    help="compute first, then call `.requires_grad_()`: `(values * 0.1).requires_grad_()`",
    tokens=("optim",),
)
consequence = Raises(ValueError, "can't optimize a non-leaf Tensor")


@rule.on(OptimizerBuilt)
def check(event: OptimizerBuilt) -> Findings:
    if event.optimizer.differentiable is not NO:
        return
    for tensor in (one for part in event.elements for one in part):
        if _is_refused(tensor):
            draft = rule.at(event.node, op=f"`{tensor.made}`" if tensor.made.isidentifier() else "an operation")
            yield draft.marked(tensor.causes, made="computed here", asked="from a tensor that requires grad since here")
            return


def _is_refused(tensor: Tensor) -> bool:
    return tensor.leaf <= NO and tensor.requires_grad <= YES and tensor.retains <= NO


@rule.bad
def scaled_after_asking():
    import torch

    weight = torch.randn(3, requires_grad=True) * 0.1
    optimizer = torch.optim.SGD([weight], lr=0.1)  # GRD713
    return optimizer


@rule.good(cures=scaled_after_asking)
def scaled_before_asking():
    import torch

    weight = (torch.randn(3) * 0.1).requires_grad_()
    optimizer = torch.optim.SGD([weight], lr=0.1)
    return optimizer


@rule.bad
def image_normalised_after_asking():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    image = torch.rand(1, 4, requires_grad=True)
    image = (image - 0.5) / 0.5
    groups = [{"params": model.parameters()}, {"params": [image], "lr": 0.01}]
    return torch.optim.Adam(groups)  # GRD713


@rule.good(cures=image_normalised_after_asking)
def image_normalised_before_asking():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    image = torch.rand(1, 4)
    image = ((image - 0.5) / 0.5).requires_grad_()
    groups = [{"params": model.parameters()}, {"params": [image], "lr": 0.01}]
    return torch.optim.Adam(groups)
