"""A tensor moved, cast or scaled after it was asked to require grad is not the leaf.

## Why it happens

`torch.randn(3, requires_grad=True)` makes a leaf. `.cuda()`, `.to(device)`, `.double()` or `* 0.01` behind it
are operations that autograd records: what they give is a result in the graph, and the leaf it was
computed from is lost, because nothing holds it. Moves and casts that have nothing to do give the tensor
itself, so the same line works on a CPU and fails where there is a GPU.

## What it costs

Backward puts the gradient into the leaf that nobody can reach. `.grad` of what was kept stays None, and
an optimizer refuses it: "can't optimize a non-leaf Tensor".

## When it is right to ignore it

Where the code will only ever run on the device on which the tensor is made. What is only computed with,
and neither asked for its gradient nor given to an optimizer, is not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, CauseKind
from gradlint.events import LeafRequired
from gradlint.rule import LIKELY, Draft, Edit, Findings, Question, Rule, quoted

from ._wanting import MOVES, is_no_leaf, is_none_elsewhere

CASTS = frozenset("double half bfloat16 float cfloat cdouble clone contiguous".split())
SHAPES = frozenset("view reshape flatten t transpose permute unsqueeze squeeze expand".split())
ARITHMETIC = frozenset("mul add sub div neg pow".split())
ARRANGING = MOVES | CASTS | SHAPES | ARITHMETIC
"""The operations on a tensor that give the one that is meant; others compute something new from it."""

rule = Rule(
    "GRD120",
    "moved-leaf",
    "{name} is not a leaf{elsewhere} but computed from one, so {outcome}",
    help="call `.requires_grad_()` last: `torch.randn(3).to(d).requires_grad_()`",
    effect="wrong result",
    yields_to=("GRD121", "GRD122", "GRD124", "GRD713"),
    tokens=("grad", "optim"),
)

OUTCOMES = {
    "gradient": "its `.grad` stays `None`",
    "test": "its `.grad` stays `None`",
    "optimizer": "no optimizer takes it",
}
USES = {
    "gradient": "its gradient is read here",
    "test": "whether it has a gradient is asked here",
    "optimizer": "it is given to an optimizer here",
}


def consequence(returned: Any) -> bool:
    """What was to be a leaf is a result without a gradient of its own."""
    return returned.requires_grad and not returned.is_leaf and not returned.retains_grad


@rule.on(LeafRequired)
def check(event: LeafRequired) -> Findings:
    if event.source_leaf is None or event.use not in USES or not set(event.operations) <= ARRANGING:
        return
    if event.use == "test":
        # before a backward the gradient of any leaf is None, and who computes with one may test what comes of it
        filled = any(mark.kind == CauseKind.BACKWARD for mark in event.source_leaf.causes)
        if filled and is_no_leaf(event) and ARITHMETIC.isdisjoint(event.operations):
            yield _draft(event, elsewhere="").lowered(LIKELY, "it may be tested to see that there is none")
    elif is_no_leaf(event):
        yield _draft(event, elsewhere="")
    elif is_none_elsewhere(event):
        yield _draft(event, elsewhere=" on other devices").lowered(
            LIKELY, "only on other devices it is no leaf", Question.TORCH
        )


def _draft(event: LeafRequired, elsewhere: str) -> Draft:
    place = event.node if event.last_operation is None else event.last_operation
    draft = rule.at(place, name=quoted(event.name, "the tensor"), elsewhere=elsewhere, outcome=OUTCOMES[event.use])
    marks = {mark.kind: mark.node for mark in event.source_leaf.causes} if event.source_leaf else {}
    if place is not event.node:
        draft = draft.note(event.node, USES[event.use])
        if (
            marks.get(CauseKind.ASKED) is marks.get(CauseKind.MADE)
            and event.source_leaf
            and event.source_leaf.parameter <= NO
        ):
            plain = Edit("drop keyword", marks[CauseKind.MADE], "requires_grad")
            draft = draft.fix(plain, Edit("wrap", place, after=".requires_grad_()"), safety="safe")
    return draft


@rule.bad
def weights_cast_after_asking():
    import torch

    weight = torch.randn(4, 2, requires_grad=True)
    weight = weight.double()  # GRD120
    weight.pow(2).sum().backward()
    gradient = weight.grad
    return weight


@rule.good(cures=weights_cast_after_asking)
def weights_made_as_they_are_used():
    import torch

    weight = torch.randn(4, 2, requires_grad=True, dtype=torch.float64)
    weight.pow(2).sum().backward()
    gradient = weight.grad
    return weight


@rule.bad
def weights_scaled_after_asking():
    import torch

    weight = torch.randn(4, 2, requires_grad=True) * 0.01  # GRD120
    loss = (torch.ones(3, 4) @ weight).pow(2).mean()
    loss.backward()
    gradient = weight.grad
    return weight


@rule.good(cures=weights_scaled_after_asking)
def weights_asked_after_scaling():
    import torch

    weight = (torch.randn(4, 2) * 0.01).requires_grad_()
    loss = (torch.ones(3, 4) @ weight).pow(2).mean()
    loss.backward()
    gradient = weight.grad
    return weight
