"""A write through `.data` between forward and backward makes gradients wrong without an error.

## Why it happens

torch counts the writes to a tensor, so that backward notices when a value it saved is no longer what it was. `.data`
gives a handle on the same memory that counts for itself: what is written through it goes unnoticed, and backward
computes with the new values as if the forward pass had seen them. `.detach()` shares the count, so the same write
through it is noticed and raises.

## What it costs

Gradients that belong to no function. Nothing warns.

## When it is right to ignore it

Hardly ever: a value that an operation saved was certainly written before its backward. Writes after the backward
(clipping weights, copying averages) and before the forward pass are never reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, Belief, CauseKind
from gradlint.events import BackwardRun
from gradlint.rule import LIKELY, Findings, Rule, quoted

from ._spoiling import CALLS, operation

rule = Rule(
    "GRD309",
    "data-write",
    "{name} is written after {op} saved it, unseen by autograd, so the gradient is wrong",
    help="compute a new tensor, or write before the forward pass or after `backward()`",
    effect="wrong result",
    yields_to=("GRD109", "GRD312"),
    tokens=("data", "numpy", "asarray", "as_tensor"),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The gradient is another one than that of the function that was computed."""
    return not returned.allclose(cured)


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    for node in event.modified_nodes:
        for mark in node.causes:
            if node.corrupt <= YES and mark.kind == CauseKind.HIDDEN:
                draft = rule.at(
                    mark.node, name=quoted(mark.name, "a tensor"), op=operation(node), call=CALLS[event.how]
                )
                draft = draft.note(node.at, "saved here") if node.at is not mark.node else draft
                draft = draft.note(event.node, "differentiated here with the written values")
                yield draft if _arrives(event) else draft.lowered(LIKELY, "no gradient of a leaf is certain to arrive")
                return


def _arrives(event: BackwardRun) -> bool:
    """Return whether a gradient certainly arrives at a leaf: one that was frozen since gets none, right or wrong."""
    return any(leaf.requires_grad <= YES and leaf.belief <= Belief.ANNOTATED for leaf in event.leaves)


@rule.bad
def result_cleared_through_data():
    import torch

    weight = torch.ones(3, requires_grad=True)
    scale = weight.exp()
    scale.data.zero_()  # GRD309
    scale.sum().backward()
    return weight.grad


@rule.good(cures=result_cleared_through_data)
def result_cleared_by_an_operation():
    import torch

    weight = torch.ones(3, requires_grad=True)
    scale = weight.exp()
    scale = scale * 0 + scale
    scale.sum().backward()
    return weight.grad


@rule.bad
def weights_clamped_before_backward():
    import torch
    from torch import nn

    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    score = critic(torch.ones(3, 2)).mean()
    critic[2].weight.data.clamp_(-0.01, 0.01)  # GRD309
    score.backward()
    return critic[0].weight.grad


@rule.good(cures=weights_clamped_before_backward)
def weights_clamped_after_backward():
    import torch
    from torch import nn

    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    score = critic(torch.ones(3, 2)).mean()
    score.backward()
    critic[2].weight.data.clamp_(-0.01, 0.01)
    return critic[0].weight.grad
