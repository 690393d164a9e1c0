"""A NumPy array made from a tensor shares its memory, so writing the array writes the weights.

## Why it happens

`tensor.detach().numpy()`, `tensor.data.numpy()` and `numpy.asarray(tensor)` copy nothing: array and tensor are two
views of one memory. `.cpu()` copies only what is on another device. A write to the array changes the tensor, and as
NumPy knows nothing of torch's version counter, autograd does not notice either.

## What it costs

Weights change while they are plotted or analysed. If a graph had saved them, its gradients are wrong without an error.

## When it is right to ignore it

Where the weights are meant to be written through NumPy. Writing a `.copy()` is never reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, WriteKind
from gradlint.events import WrittenInPlace
from gradlint.rule import Edit, Findings, Rule, quoted

rule = Rule(
    "GRD312",
    "numpy-write",
    "writing {name} also writes a tensor that requires grad, unseen by autograd",
    help="write into a copy: `tensor.detach().cpu().numpy().copy()`",
    effect="wrong result",
    default=False,
    tokens=("numpy", "asarray", "array"),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The tensor is not what it was."""
    return not returned.equal(cured)


OVER_ARRAYS = ("from_numpy", "as_tensor", "asarray", "frombuffer")
"""The makers of a tensor over an older array: then the array is the program's own, to be written."""


@rule.on(WrittenInPlace)
def check(event: WrittenInPlace) -> Findings:
    over = event.target.made in OVER_ARRAYS
    if event.by is WriteKind.ARRAY and event.target.requires_grad <= YES and event.target.leaf <= YES and not over:
        draft = rule.at(event.node, name=quoted(event.name, "the array"))
        if len(event.arrays) == 1:
            draft = draft.fix(Edit("wrap", event.arrays[0], after=".copy()"), safety="unsafe")
        yield draft.marked(event.target.causes, asked="the tensor was asked to require grad here")


@rule.bad
def weights_normalised_for_a_plot():
    from torch import nn

    layer = nn.Linear(2, 2)
    nn.init.ones_(layer.weight)
    weights = layer.weight.detach().numpy()
    weights *= 0.5  # GRD312
    return layer.weight


@rule.good(cures=weights_normalised_for_a_plot)
def copy_normalised_for_a_plot():
    from torch import nn

    layer = nn.Linear(2, 2)
    nn.init.ones_(layer.weight)
    weights = layer.weight.detach().cpu().numpy().copy()
    weights *= 0.5
    return layer.weight


@rule.bad
def first_row_cleared():
    import torch

    weight = torch.ones(3, 3, requires_grad=True)
    array = weight.data.numpy()
    array[0] = 0.0  # GRD312
    return weight


@rule.good(cures=first_row_cleared)
def first_row_of_a_copy_cleared():
    import torch

    weight = torch.ones(3, 3, requires_grad=True)
    array = weight.data.numpy().copy()
    array[0] = 0.0
    return weight
