"""A `forward` that writes its argument in place changes the tensor of its caller.

## Why it happens

An argument is the caller's own tensor. `x += bias`, `x[mask] = 0` or a `nn.ReLU(inplace=True)` that is the first layer
writes its memory, so whatever the caller does with it afterwards (a skip connection, a second head, a metric) sees the
changed values. Autograd notices only if an operation had saved the old ones.

## What it costs

A residual block adds `relu(x)` instead of `x`; an evaluation compares with inputs that are no longer the data.

## When it is right to ignore it

Where writing the argument is the purpose and the caller knows, or where nobody uses it afterwards: in-place activations
save memory. That is a matter of intent, so the rule is off by default.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import Function
from gradlint.events import ModuleFinished, WrittenInPlace
from gradlint.rule import Draft, Edit, Findings, Rule, quoted

from ._writing import SANCTIONED

rule = Rule(
    "GRD313",
    "overwritten-input",
    "{name} is the caller's tensor and `forward` writes it in place",
    help="compute a new tensor: `x = x + 1` instead of `x += 1`, or write into a `clone()`",
    effect="wrong result",
    default=False,
    tokens=("forward",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The input is not what it was."""
    return not returned.equal(cured)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    forwards = {run.index for run in event.runs if run.function and _is_of_a_module(run.function)}
    for write in event.story:
        if isinstance(write, WrittenInPlace) and _writes_the_input(write) and write.run in forwards:
            draft = rule.at(write.node, name=quoted(write.name, "the argument")).resting_on(write)
            yield _cured(draft, write)


def _is_of_a_module(function: Function) -> bool:
    """Return whether it is a module's `forward`: that of a custom function, which may write its input, is static."""
    return function.name == "forward" and function.kind == "function"


def _writes_the_input(write: WrittenInPlace) -> bool:
    return write.argument and write.by not in SANCTIONED


def _cured(draft: Draft, write: WrittenInPlace) -> Draft:
    if not write.name.isidentifier():
        return draft
    return draft.fix(Edit("insert before", write.node, f"{write.name} = {write.name}.clone()"), safety="unsafe")


@rule.bad
def activation_writes_the_skip_connection():
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.activation = nn.ReLU(inplace=True)
            self.linear = nn.Linear(2, 2)

        def forward(self, x):
            return x + self.linear(self.activation(x))  # GRD313

    x = torch.tensor([[-1.0, 2.0]])
    Block()(x)
    return x


@rule.good(cures=activation_writes_the_skip_connection)
def activation_gives_a_new_tensor():
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.activation = nn.ReLU(inplace=False)
            self.linear = nn.Linear(2, 2)

        def forward(self, x):
            return x + self.linear(self.activation(x))

    x = torch.tensor([[-1.0, 2.0]])
    Block()(x)
    return x


@rule.bad
def position_added_in_place():
    import torch
    from torch import nn

    class Positions(nn.Module):
        def __init__(self):
            super().__init__()
            self.position = nn.Parameter(torch.ones(4))

        def forward(self, x):
            x += self.position  # GRD313
            return x

    x = torch.zeros(2, 4)
    Positions()(x)
    return x.detach()


@rule.good(cures=position_added_in_place)
def position_added_to_a_new_tensor():
    import torch
    from torch import nn

    class Positions(nn.Module):
        def __init__(self):
            super().__init__()
            self.position = nn.Parameter(torch.ones(4))

        def forward(self, x):
            x = x + self.position
            return x

    x = torch.zeros(2, 4)
    Positions()(x)
    return x.detach()
