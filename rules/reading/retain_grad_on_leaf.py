"""`retain_grad()` on a leaf that requires grad does nothing.

## Why it happens

`retain_grad()` asks backward to keep the gradient of a tensor between the leaves and the loss. A leaf that
requires grad has its `.grad` filled without being asked; torch returns at once and does not even set
`retains_grad`.

## What it costs

Nothing but the reader's time: the line says that something needs retaining which does not.

## When it is right to ignore it

Where the same line sees leaves and other tensors, as in a helper for whatever tensor it is given. Only
calls that certainly meet a leaf are reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, Syntax, Tensor
from gradlint.events import ModuleFinished, ResultDiscarded
from gradlint.rule import Edit, Findings, Rule, quoted

rule = Rule(
    "GRD207",
    "retain-grad-on-leaf",
    "`retain_grad()` has no effect on {name}: a leaf keeps its gradient anyway",
    help="remove the line",
    effect="no effect",
    default=False,
    tokens=("retain_grad",),
)


def consequence(returned: Any) -> bool:
    """The tensor that was to retain its gradient does not say that it does."""
    return not returned.retains_grad


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """A line that meets results as well, in a later iteration or another call, is not in vain."""
    asked: dict[Syntax, list[ResultDiscarded]] = {}
    for happened in event.story:
        if isinstance(happened, ResultDiscarded) and happened.called == "torch.Tensor.retain_grad":
            asked.setdefault(happened.node, []).append(happened)
    for node, requests in asked.items():
        tensors = [request.of for request in requests if isinstance(request.of, Tensor)]
        if len(tensors) == len(requests) and all(_is_in_vain(tensor) for tensor in tensors):
            draft = rule.at(node, name=quoted(requests[0].name, "the tensor"))
            draft = draft.resting_on(*requests)
            draft = draft.fix(Edit("delete", node), safety="safe")
            yield draft.marked(tensors[0].causes, made="made here, by no operation of the graph")


def _is_in_vain(tensor: Tensor) -> bool:
    return tensor.leaf <= YES and tensor.requires_grad <= YES


@rule.bad(script=True)
def weights_retained():
    import torch

    weight = torch.ones(3, requires_grad=True)
    hidden = weight * 2
    weight.retain_grad()  # GRD207
    hidden.sum().backward()
    return weight


@rule.good(cures=weights_retained, script=True)
def result_retained():
    import torch

    weight = torch.ones(3, requires_grad=True)
    hidden = weight * 2
    hidden.retain_grad()
    hidden.sum().backward()
    return hidden
