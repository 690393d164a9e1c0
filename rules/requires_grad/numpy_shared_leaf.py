"""Writing an array changes the leaf that was made from it, and autograd does not notice.

## Why it happens

`torch.from_numpy()` and `torch.as_tensor()` copy nothing: the tensor lies on the memory of the array. What the
graph saves for backward is that memory as well. A write through a tensor counts up a version that backward
compares; NumPy knows nothing of it. So backward computes with the numbers that the array holds by then, not with
those of the forward pass.

## What it costs

Wrong gradients, without an error or a warning.

## When it is right to ignore it

Where the array is written before the forward pass or after backward, as when it is updated by hand. Only a write
between the two, into memory that the graph had saved, is reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, Ref, Tensor, WriteKind
from gradlint.events import BackwardRun, ModuleFinished, WrittenInPlace
from gradlint.rule import Findings, Rule, quoted

FROM_ARRAYS = frozenset({"from_numpy", "as_tensor", "asarray"})

rule = Rule(
    "GRD109",
    "numpy-shared-leaf",
    "writing {name} changes a leaf that shares its memory, unseen by autograd",
    help="copy the array: `torch.tensor(...)` instead of `torch.from_numpy()` or `torch.as_tensor()`",
    effect="wrong result",
    default=False,
    tokens=tuple(sorted(FROM_ARRAYS)),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The gradient is another than that of the numbers in the forward pass."""
    return bool((returned.grad != cured.grad).any())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """Remember what was written through arrays until a backward meets it in a graph that had saved it."""
    written: dict[Ref, WrittenInPlace] = {}
    for happened in event.story:
        if (
            isinstance(happened, WrittenInPlace)
            and happened.by is WriteKind.ARRAY
            and _is_from_an_array(happened.target)
        ):
            written |= dict.fromkeys(happened.target.storage, happened)
        elif isinstance(happened, BackwardRun) and written:
            memories = [memory for leaf in happened.leaves for memory in leaf.storage]
            for write in [written.pop(memory) for memory in memories if memory in written]:
                if happened.corrupt <= YES:
                    draft = rule.at(write.node, name=quoted(write.name, "the array"))
                    draft = draft.marked(write.target.causes, made="the leaf is made on the array's memory here")
                    draft = draft.note(happened.node, "`backward()` uses the written values")
                    yield draft.resting_on(write, happened)


def _is_from_an_array(tensor: Tensor) -> bool:
    return tensor.made in FROM_ARRAYS and tensor.leaf <= YES and tensor.requires_grad <= YES


@rule.bad
def weights_on_the_memory_of_an_array():
    import numpy
    import torch

    start = numpy.ones(3)
    weights = torch.from_numpy(start).requires_grad_(True)
    loss = (weights * weights).sum()
    start += 1.0  # GRD109
    loss.backward()
    return weights


@rule.good(cures=weights_on_the_memory_of_an_array)
def weights_copied_from_an_array():
    import numpy
    import torch

    start = numpy.ones(3)
    weights = torch.tensor(start).requires_grad_(True)
    loss = (weights * weights).sum()
    start += 1.0
    loss.backward()
    return weights


@rule.bad
def buffer_filled_again_before_backward():
    import numpy
    import torch

    def penalties(buffer, rows):
        for row in rows:
            buffer[:] = row
            point = torch.as_tensor(buffer).requires_grad_()
            loss = point.pow(3).sum()
            buffer.fill(0.0)  # GRD109
            loss.backward()
        return point

    return penalties(numpy.zeros(2), [numpy.ones(2), numpy.full(2, 3.0)])


@rule.good(cures=buffer_filled_again_before_backward)
def buffer_copied_for_each_point():
    import numpy
    import torch

    def penalties(buffer, rows):
        for row in rows:
            buffer[:] = row
            point = torch.as_tensor(buffer.copy()).requires_grad_()
            loss = point.pow(3).sum()
            buffer.fill(0.0)
            loss.backward()
        return point

    return penalties(numpy.zeros(2), [numpy.ones(2), numpy.full(2, 3.0)])
