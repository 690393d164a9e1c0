"""A parameter or layer made in `forward` is made anew at every call and never trained.

## Why it happens

An optimizer holds the parameters that a module had when `parameters()` was called. What `forward` makes
is a new leaf with new random values each time: backward fills its gradient and both are dropped with the call.
Assigned to `self` it is registered, but the optimizer built before never hears of it, and the next call
replaces it.

## What it costs

The layer is noise: it is not in `parameters()`, not in the state dict, and no step changes it. Nothing is raised.

## When it is right to ignore it

Where it is made once, under a condition (`if self.weight is None`), which is not reported, or where its values are
set by hand and it is not to be trained; then it is believed least. Layers without parameters, as activations
and losses, may be made anywhere.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, AskKind, ImportPath
from gradlint.events import AttributeAssigned, ClassFinished, Event, ModuleBuilt, RequiresGradChanged, Run
from gradlint.rule import POSSIBLE, Findings, Rule

from ._forward import own_events, runs_of_forward

rule = Rule(
    "GRD608",
    "parameter-in-forward",
    "{what} is created in every call of `forward`, so it is never trained",
    help="create it in `__init__`, assign it to `self`, and use it in `forward`",
    effect="wrong result",
    yields_to=("GRD609", "GRD807"),
    tokens=("forward",),
)

SET_BY_HAND = frozenset({"data", "weight", "bias", "requires_grad"})
"""Attributes by which a layer is given values that are not to be trained."""


def consequence(returned: Any) -> bool:
    """The module owns nothing that could be trained, or its parameter is not what it was at the last call."""
    model = returned
    before = {name: p.clone() for name, p in model.named_parameters()}
    model(model.example)
    after = dict(model.named_parameters())
    return not after or any(name not in before or not before[name].equal(after[name]) for name in after)


@rule.on(ClassFinished)
def check(event: ClassFinished) -> Findings:
    for run in runs_of_forward(event):
        for made in own_events(run):
            if (what := _made(made)) and made.grad_mode <= YES:
                draft = rule.at(made.node, what=what).resting_on(made)
                yield (
                    draft.lowered(POSSIBLE, "it is set by hand and may not be meant to be trained")
                    if _is_set_by_hand(run)
                    else draft
                )


def _made(event: Event) -> str:
    """Return a message's name for what is made, where that has parameters that are to be trained."""
    if isinstance(event, RequiresGradChanged) and event.by is AskKind.PARAMETER and event.to <= YES:
        return "a parameter"
    if isinstance(event, ModuleBuilt) and any(p.requires_grad <= YES for p in event.own):
        cls = event.module.cls
        return f"a layer (`{cls.path.rpartition('.')[2]}`)" if isinstance(cls, ImportPath) else "a layer"
    return ""


def _is_set_by_hand(run: Run) -> bool:
    return any(
        (isinstance(event, AttributeAssigned) and event.attr in SET_BY_HAND and not event.own)
        or (isinstance(event, RequiresGradChanged) and not event.to <= YES)
        for event in run.story
    )


@rule.bad
def layer_and_parameter_made_in_forward():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.example = torch.ones(1, 2)

        def forward(self, x):
            scale = nn.Parameter(torch.rand(2))  # GRD608
            return nn.Linear(2, 1)(x * scale)  # GRD807

    return Net()


@rule.good(cures=layer_and_parameter_made_in_forward)
def layer_and_parameter_made_once():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.example = torch.ones(1, 2)
            self.scale = nn.Parameter(torch.rand(2))
            self.linear = nn.Linear(2, 1)

        def forward(self, x):
            return self.linear(x * self.scale)

    return Net()


@rule.bad
def assigned_to_self_in_forward():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.example = torch.ones(1, 2)

        def forward(self, x):
            self.linear = nn.Linear(x.shape[1], 1)  # GRD608
            return self.linear(x)

    return Net()


@rule.good(cures=assigned_to_self_in_forward)
def assigned_to_self_in_init():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.example = torch.ones(1, 2)
            self.linear = nn.Linear(self.example.shape[1], 1)

        def forward(self, x):
            return self.linear(x)

    return Net()
