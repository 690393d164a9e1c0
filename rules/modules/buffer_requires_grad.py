"""A buffer that requires grad is never trained.

## Why it happens

A buffer is state that a module saves and moves but does not learn: running statistics, masks,
position tables. `register_buffer` takes any tensor and asks no questions. Given a leaf that requires grad, backward
fills its gradient, but `parameters()` does not list it. Given the result of a computation
on parameters, the buffer holds the graph of that computation, from the time when the module was built.

## What it costs

The optimizer never updates what was meant to be learned. A buffer with a graph is not brought up to
date when its parameters change, cannot be deep-copied, and the second backward through it raises.

## When it is right to ignore it

Where an optimizer is given the buffer by hand, on purpose. A parameter that the module has under another name as well
is trained under that, and not reported. A tensor registered detached, or made under
`torch.no_grad()`, is never reported; nor is one that was handed over and of which nothing is known.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, Belief, Tensor
from gradlint.events import BufferRegistered
from gradlint.rule import CERTAIN, POSSIBLE, Findings, Rule, quoted

rule = Rule(
    "GRD805",
    "buffer-requires-grad",
    "the buffer {name} requires grad, but {why}; make it an `nn.Parameter`, or register it detached",
    help="a buffer is saved and moved with the module, not trained",
    effect="silently wrong",
    tokens=("register_buffer",),
)

LEAF = "`parameters()` does not have buffers, so no optimizer built from it updates this one"
COMPUTED = "it was computed only once and keeps that graph"


def consequence(returned: Any) -> bool:
    """A buffer requires grad, and there is no such parameter."""
    return any(buffer.requires_grad for buffer in returned.buffers())


@rule.on(BufferRegistered)
def check(event: BufferRegistered) -> Findings:
    tensor = event.tensor
    if not isinstance(tensor, Tensor) or not tensor.requires_grad <= YES or event.trained.may(YES):
        return
    draft = rule.at(event.node, name=quoted(event.name, "given here"), why=LEAF if tensor.leaf <= YES else COMPUTED)
    told = CERTAIN if tensor.belief <= Belief.ANNOTATED else POSSIBLE
    draft = draft.lowered(told)
    yield draft.marked(tensor.marks, made="made here", asked="asked to require grad here", recorded="computed here")


@rule.bad
def scale_registered_as_a_buffer():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", torch.ones(3, requires_grad=True))  # GRD805

        def forward(self, x):
            return x * self.scale

    return Scale()


@rule.good(cures=scale_registered_as_a_buffer)
def scale_registered_as_a_parameter():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_parameter("scale", nn.Parameter(torch.ones(3)))

        def forward(self, x):
            return x * self.scale

    return Scale()


@rule.bad
def average_computed_from_weights():
    from torch import nn

    class Averaged(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.layer = nn.Linear(width, width)
            average = self.layer.weight.mean(0)
            self.register_buffer("average", average)  # GRD805

        def forward(self, x):
            return self.layer(x) - self.average

    return Averaged(3)


@rule.good(cures=average_computed_from_weights)
def average_computed_and_detached():
    from torch import nn

    class Averaged(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.layer = nn.Linear(width, width)
            average = self.layer.weight.mean(0)
            self.register_buffer("average", average.detach())

        def forward(self, x):
            return self.layer(x) - self.average

    return Averaged(3)
