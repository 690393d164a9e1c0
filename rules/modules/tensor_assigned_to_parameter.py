"""A module refuses a plain tensor under the name of a parameter.

## Why it happens

`module.weight = nn.Parameter(...)` registers a parameter, and from then on `Module.__setattr__` takes nothing else than
a parameter or `None` under that name. What an operation gives is a tensor, also where gradients are off and where all
operands are parameters: `net.weight = net.weight - rate * net.weight.grad` is such an assignment.

## What it costs

The assignment raises `TypeError`.

## When it is right to ignore it

Where the class has a `__setattr__` of its own that wraps or copies what it is given; such classes are not reported. Nor
is `.data`, whose memory is replaced, or a parameter that was deleted before (`del module.weight`), as functional
optimisation does, or what unseen code gives, which may be one.
"""

from __future__ import annotations

from gradlint.domain import NO, YES, Module, Tensor
from gradlint.events import AttributeAssigned
from gradlint.rule import Findings, Raises, Rule

rule = Rule(
    "GRD809",
    "tensor-assigned-to-parameter",
    "{place} is a registered parameter and is assigned a plain tensor",
    help="write into the parameter under `torch.no_grad()`, or assign `nn.Parameter(...)`",
    tokens=("nn", "torch.nn"),
)
consequence = Raises(TypeError, "(torch.nn.Parameter or None expected)")


@rule.on(AttributeAssigned)
def check(event: AttributeAssigned) -> Findings:
    old, value = event.old, event.value
    registered = isinstance(event.owner, Module) and not event.taken_by_class
    if not (registered and isinstance(old, Tensor) and old.parameter <= YES):
        return
    if isinstance(value, Tensor) and value.parameter <= NO and not value.may_be_structured:
        place = f"{event.name}.{event.attr}" if event.name else event.attr
        draft = rule.at(event.node, place=f"`{place}`")
        draft = draft.advising(f"use `{place}.copy_(...)` under `torch.no_grad()`") if event.name else draft
        yield draft.marked(old.causes, made="the parameter is made here")


@rule.bad
def step_by_assignment():
    import torch
    from torch import nn

    net = nn.Linear(2, 1)
    net(torch.ones(4, 2)).mean().backward()
    with torch.no_grad():
        net.weight = net.weight - 0.1 * net.weight.grad  # GRD809
    return net


@rule.good(cures=step_by_assignment)
def step_in_place():
    import torch
    from torch import nn

    net = nn.Linear(2, 1)
    net(torch.ones(4, 2)).mean().backward()
    with torch.no_grad():
        net.weight.copy_(net.weight - 0.1 * net.weight.grad)
    return net


@rule.bad
def scale_that_is_reset():
    import torch
    from torch import nn

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(1))

        def reset(self):
            self.scale = torch.full((1,), 0.5)  # GRD809

    model = Scaled()
    model.reset()
    return model


@rule.good(cures=scale_that_is_reset)
def scale_that_is_filled():
    import torch
    from torch import nn

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(1))

        def reset(self):
            nn.init.constant_(self.scale, 0.5)

    model = Scaled()
    model.reset()
    return model
