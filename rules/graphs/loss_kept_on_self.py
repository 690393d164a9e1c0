"""A tensor that `forward` keeps on `self` keeps its graph until the next call.

## Why it happens

`self.features = self.encoder(x)` makes the module refer to the tensor, and the tensor refers to the graph of the whole
forward pass. When the result has long been dropped, the graph is still there, next to that of the following step.

## What it costs

The memory of one more graph, and `copy.deepcopy(module)` raises, because only leaves can be copied deeply.

## When it is right to ignore it

Where somebody differentiates what is kept (`self.loss.backward()`), or reads it as a part of the loss before the next
call: hooks for feature maps, auxiliary losses. That is a matter of design, so the rule is off by default.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, Module, Tensor
from gradlint.events import AttributeAssigned, BackwardRun, ModuleFinished
from gradlint.rule import Findings, Rule

rule = Rule(
    "GRD507",
    "loss-kept-on-self",
    "`{name}` keeps the graph of the forward pass alive until the next call",
    help="store `value.detach()` if only its value is needed",
    effect="memory",
    default=False,
    yields_to=("GRD508",),
    tokens=("forward", "training_step"),
)


def consequence(returned: Any) -> bool:
    """An attribute of the module carries a graph."""
    return any(getattr(value, "grad_fn", None) is not None for value in vars(returned).values())


STEPS = frozenset({"forward", "training_step"})


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    functions = {run.index: run.function.name for run in event.runs if run.function}
    roots = {memory for one in event.story if isinstance(one, BackwardRun) for memory in one.root.storage}
    for happened in event.story:
        if not (isinstance(happened, AttributeAssigned) and functions.get(happened.run) in STEPS):
            continue
        value = happened.value
        if isinstance(value, Tensor) and _keeps_a_graph(happened, value) and roots.isdisjoint(value.storage):
            yield rule.at(happened.node, name=f"{happened.name}.{happened.attr}").resting_on(happened)


def _keeps_a_graph(event: AttributeAssigned, value: Tensor) -> bool:
    """Return whether a module keeps a tensor with a graph of its own making."""
    return event.own and isinstance(event.owner, Module) and value.requires_grad <= YES and value.leaf <= NO


@rule.bad
def features_kept():
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x):
            self.features = self.linear(x)  # GRD507
            return self.features.sum()

    model = Encoder()
    model(torch.ones(1, 2)).backward()
    return model


@rule.good(cures=features_kept)
def detached_features_kept():
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x):
            features = self.linear(x)
            self.features = features.detach()
            return features.sum()

    model = Encoder()
    model(torch.ones(1, 2)).backward()
    return model
