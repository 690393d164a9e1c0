"""Before the first `backward()` there is no gradient to read.

## Why it happens

`.grad` is None until a backward pass has put something there. Computing a loss computes no gradient:
`loss.backward()` does. Where it is missing, comes later, or has only run for other tensors, the gradient that the
program goes on with is None.

## What it costs

Arithmetic with it raises `TypeError`, using it as a tensor `AttributeError`.

## When it is right to ignore it

Where None is what you want to see. A read that is compared with None or tested for truth is not reported; one
that is only printed, kept or handed on is shown at the lowest confidence. Gradients of tensors that code
elsewhere may have filled are not reported at all.
"""

from __future__ import annotations

from gradlint.domain import YES, CauseKind
from gradlint.events import GradientRead
from gradlint.rule import POSSIBLE, Findings, Raises, Rule, quoted

rule = Rule(
    "GRD202",
    "grad-read-before-backward",
    "{gradient} is `None` here: no `backward()` has reached {name} yet",
    help="call `backward()` on a result computed from {name} first",
    yields_to=("GRD110", "GRD204"),
    tokens=("grad",),
)
consequence = Raises(TypeError, "unsupported operand type(s)")
NO_METHOD = Raises(AttributeError, "'NoneType' object has no attribute")

FILLED = frozenset({CauseKind.BACKWARD, CauseKind.CLEARED})
"""Marks of tensors that have had a gradient."""


@rule.on(GradientRead)
def check(event: GradientRead) -> Findings:
    tensor = event.tensor
    if event.guard or not (event.none <= YES and tensor.leaf <= YES and tensor.requires_grad <= YES):
        return
    if any(mark.kind in FILLED for mark in tensor.causes):
        return
    name = quoted(event.name, "the tensor")
    draft = rule.at(event.node, gradient=quoted(event.name and f"{event.name}.grad", "the `.grad`"), name=name)
    draft = draft.marked(tensor.causes, made="made here, without a gradient")
    yield (
        draft
        if event.use == "needed" and not event.assumed_mode
        else draft.lowered(POSSIBLE, "it may be read to see that there is none")
    )


@rule.bad
def step_without_backward():
    import torch

    weight = torch.ones(3, requires_grad=True)
    loss = weight.pow(2).sum()
    with torch.no_grad():
        weight -= 0.1 * weight.grad  # GRD202
    return weight


@rule.good(cures=step_without_backward)
def step_after_backward():
    import torch

    weight = torch.ones(3, requires_grad=True)
    loss = weight.pow(2).sum()
    loss.backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
    return weight


@rule.bad(shows=NO_METHOD)
def gradients_zeroed_before_there_are_any():
    import torch

    weight = torch.zeros(3, requires_grad=True)
    for _ in range(2):
        weight.grad.zero_()  # GRD202
        (weight - 1).pow(2).sum().backward()
        weight.data -= 0.1 * weight.grad
    return weight


@rule.good(cures=gradients_zeroed_before_there_are_any)
def gradients_zeroed_after_each_step():
    import torch

    weight = torch.zeros(3, requires_grad=True)
    for _ in range(2):
        (weight - 1).pow(2).sum().backward()
        weight.data -= 0.1 * weight.grad
        weight.grad.zero_()
    return weight
