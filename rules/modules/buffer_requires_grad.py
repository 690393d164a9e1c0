"""A buffer that requires grad is never trained.

## Why it happens

A buffer is state that a module saves and moves but does not learn: running statistics, masks,
position tables. `register_buffer` takes any tensor and asks no questions. Given a leaf that requires grad, backward
fills its gradient, but `parameters()` does not list it. Given the result of a computation
on parameters, the buffer holds the graph of that computation, from the time when the module was built. Where
each forward pass registers or sets the result again, it leaves the graph of that pass for the next one.

## What it costs

The optimizer never updates what was meant to be learned. A buffer with a graph is not brought up to
date when its parameters change, cannot be deep-copied, and the second backward through it raises.

## When it is right to ignore it

Where an optimizer is given the buffer by hand, on purpose. A parameter that the module has under another name as well
is trained under that, and not reported. A tensor registered detached, or made under
`torch.no_grad()`, is never reported; nor is one that was handed over and of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, TypeGuard

from gradlint.domain import YES, Belief, Module, Tensor
from gradlint.events import AttributeAssigned, BufferRegistered, Event, ModuleFinished
from gradlint.rule import CERTAIN, POSSIBLE, Draft, Findings, Question, Rule, quoted

rule = Rule(
    "GRD805",
    "buffer-requires-grad",
    "buffer {name} requires grad, but {why}",
    help="make it an `nn.Parameter`, or register it detached",
    effect="wrong result",
    yields_to=("GRD508",),
    tokens=("register_buffer",),
)

LEAF = "`parameters()` does not include buffers"
COMPUTED = "it was computed only once and keeps that graph"
REPLACED = "it keeps its graph until a forward pass replaces it"
AGAIN = "each forward pass leaves its graph in it"
DETACH = "set it from detached values, or under `torch.no_grad()`"


def consequence(returned: Any) -> bool:
    """A buffer requires grad, and there is no such parameter."""
    return any(buffer.requires_grad for buffer in returned.buffers())


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    forwards = _forwards(end)
    for event in end.story:
        if not isinstance(event, BufferRegistered) or event.trained.may(YES):
            continue
        tensor = event.tensor
        if isinstance(tensor, Tensor) and tensor.requires_grad <= YES:
            draft = _draft(event, tensor, [one for one in end.story if _sets(one, event, forwards)], forwards)
            told = CERTAIN if tensor.belief <= Belief.ANNOTATED else POSSIBLE
            yield draft.resting_on(event).lowered(
                told, "that the buffer requires grad is taken from what the tensor is used for", Question.THING
            )


def _draft(event: BufferRegistered, tensor: Tensor, sets: Sequence[AttributeAssigned], forwards: Set[int]) -> Draft:
    """The finding: what is said of a result depends on whether forward passes compute it again."""
    graphs = [one for one in sets if isinstance(one.value, Tensor) and one.value.requires_grad.possibly(YES)]
    name = quoted(event.name, "registered here")
    if tensor.leaf <= YES:
        draft = rule.at(event.node, name=name, why=LEAF)
    elif graphs or event.run in forwards:
        draft = rule.at(event.node, name=name, why=AGAIN).advising(DETACH)
    else:
        draft = rule.at(event.node, name=name, why=REPLACED if sets else COMPUTED)
    for one in graphs or sets:
        draft = draft.note(one.node, "set by each forward pass")
    return draft.marked(tensor.causes, made="made here", asked="asked to require grad here", recorded="computed here")


def _sets(event: Event, registered: BufferRegistered, forwards: Set[int]) -> TypeGuard[AttributeAssigned]:
    """Return whether this is where a forward pass sets the buffer that was registered."""
    if not isinstance(event, AttributeAssigned) or not (event.own and event.run in forwards):
        return False
    owner = event.owner
    return isinstance(owner, Module) and owner.cls == registered.module.cls and event.attr == registered.name


def _forwards(end: ModuleFinished) -> Set[int]:
    """The runs of `forward()` methods and of what they call."""
    found: set[int] = set()
    for run in end.runs:
        if run.parent in found or (run.function is not None and run.function.name == "forward"):
            found.add(run.index)
    return found


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


@rule.bad
def mean_registered_in_each_forward():
    import torch
    from torch import nn

    class Centered(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.register_buffer("mean", torch.zeros(2))

        def forward(self, x):
            hidden = self.layer(x).tanh()
            self.register_buffer("mean", 0.9 * self.mean + 0.1 * hidden.mean(0))  # GRD805
            return hidden - self.mean

    model = Centered()
    model(torch.ones(3, 2)).sum().backward()
    return model


@rule.good(cures=mean_registered_in_each_forward)
def mean_of_detached_values():
    import torch
    from torch import nn

    class Centered(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.register_buffer("mean", torch.zeros(2))

        def forward(self, x):
            hidden = self.layer(x).tanh()
            self.register_buffer("mean", 0.9 * self.mean + 0.1 * hidden.detach().mean(0))
            return hidden - self.mean

    model = Centered()
    model(torch.ones(3, 2)).sum().backward()
    return model
