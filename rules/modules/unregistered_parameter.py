"""A tensor that requires grad is no parameter of the module it is assigned to.

## Why it happens

Requiring grad is a matter between a tensor and autograd; being a parameter is a matter between a
tensor and a module. `self.w = torch.randn(3, requires_grad=True)` makes a leaf whose gradient
backward fills, stored in a plain attribute: only `nn.Parameter` tells the module to
register it.

## What it costs

`parameters()` does not have it, so the optimizer never updates it; `state_dict()` does not save it;
`.to(device)` and `.half()` leave it behind, on another device than the rest.

## When it is right to ignore it

In a class that hands its tensors to an optimizer by hand: if the file shows that, or the class gathers its
parameters itself or in a list, nothing is reported, nor where a registered parameter shares its memory. A tensor that
was handed over from outside, or that another file with optimizers reads, is reported on request only; one that requires
no grad is a constant, never reported here.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, Tensor
from gradlint.events import ModuleFinished
from gradlint.rule import CERTAIN, POSSIBLE, Edit, Findings, Rule

from ._registration import unregistered

rule = Rule(
    "GRD802",
    "unregistered-parameter",
    "`self.{attr}` requires grad but is not a parameter, so it is not registered",
    help="wrap it: `self.{attr} = nn.Parameter(...)`",
    effect="wrong result",
    tokens=("Module",),
)


def consequence(returned: Any) -> bool:
    """The module knows of no parameters."""
    return not list(returned.parameters()) and not returned.state_dict()


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    for built, held, place in unregistered(event):
        tensor = held.thing
        if held.inside or not isinstance(tensor, Tensor) or not (tensor.leaf <= YES and tensor.requires_grad <= YES):
            continue
        draft = rule.at(place.node, attr=held.attr)
        draft = draft.marked(tensor.causes, made="made here", asked="asked to require grad here")
        if place.given is not None:
            wrapped = Edit("wrap", place.given, "torch.nn.Parameter(", ")")
            draft = draft.fix(wrapped, safety="unsafe", imports=("torch",))
        yield draft.resting_on(built).lowered(
            POSSIBLE if held.handed or held.read_elsewhere else CERTAIN, "others may see to what they have as well"
        )


@rule.bad
def scale_made_by_hand():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.ones(1, requires_grad=True)  # GRD802

        def forward(self, x):
            return x * self.scale

    model = Scale()
    model(torch.ones(3)).sum().backward()
    return model


@rule.good(cures=scale_made_by_hand)
def scale_made_a_parameter():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(1))

        def forward(self, x):
            return x * self.scale

    model = Scale()
    model(torch.ones(3)).sum().backward()
    return model


@rule.bad
def weight_asked_afterwards():
    import torch
    from torch import nn

    class Mixing(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = torch.empty(width, width)  # GRD802
            nn.init.orthogonal_(self.weight)
            self.weight.requires_grad_()

        def forward(self, x):
            return x @ self.weight

    return Mixing(4)


@rule.good(cures=weight_asked_afterwards)
def weight_filled_as_a_parameter():
    import torch
    from torch import nn

    class Mixing(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.empty(width, width))
            nn.init.orthogonal_(self.weight)

        def forward(self, x):
            return x @ self.weight

    return Mixing(4)
