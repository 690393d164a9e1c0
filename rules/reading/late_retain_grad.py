"""`retain_grad()` after `backward()` comes too late for that backward.

## Why it happens

`retain_grad()` leaves a note at a tensor in the graph: when a backward passes, keep a copy of the
gradient here. A backward that has already passed has dropped it. The call itself succeeds, and
afterwards the tensor says that it retains its gradient, which silences even the warning that reading
the `.grad` of a non-leaf gives otherwise.

## What it costs

`.grad` is None without any sign. What follows fails far from the cause, or logs nothing.

## When it is right to ignore it

Where a second backward through the same graph follows and only its gradient is wanted. If that
backward runs before the gradient is read, nothing is reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, NONE, YES, CauseKind
from gradlint.events import GradientRead
from gradlint.rule import Edit, Findings, Rule, quoted

rule = Rule(
    "GRD206",
    "late-retain-grad",
    "`retain_grad()` comes after `backward()`, so the `.grad` of {name} stays `None`",
    help="call `retain_grad()` between the line that computes {name} and `backward()`",
    effect="wrong result",
    tokens=("retain_grad",),
)


def consequence(returned: Any) -> bool:
    """The gradient that was to be retained is None."""
    return returned is None


@rule.on(GradientRead)
def check(event: GradientRead) -> Findings:
    tensor = event.tensor
    if event.guard or not (tensor.leaf <= NO and tensor.retains <= YES and tensor.grad <= NONE):
        return
    if event.reached <= YES:
        retained = next((mark.node for mark in tensor.causes if mark.kind == CauseKind.RETAINED), event.node)
        draft = rule.at(retained, name=quoted(event.name, "the tensor"))
        if event.bound is not None:
            draft = draft.fix(Edit("insert after", event.bound, f"{event.name}.retain_grad()"), safety="unsafe")
        draft = draft.marked(tensor.causes, backward="`backward()` has already run here")
        yield draft.note(event.node, "read here as `None`") if retained is not event.node else draft


@rule.bad
def retained_after_backward():
    import torch

    weight = torch.ones(3, requires_grad=True)
    hidden = weight * 2
    hidden.sum().backward()
    hidden.retain_grad()  # GRD206
    return hidden.grad


@rule.good(cures=retained_after_backward)
def retained_before_backward():
    import torch

    weight = torch.ones(3, requires_grad=True)
    hidden = weight * 2
    hidden.retain_grad()
    hidden.sum().backward()
    return hidden.grad


@rule.bad
def attention_map_retained_late():
    import torch
    from torch import nn

    query, key = nn.Linear(4, 4), nn.Linear(4, 4)
    tokens = torch.randn(3, 4)
    attention = torch.softmax(query(tokens) @ key(tokens).t(), dim=-1)
    loss = (attention @ tokens).pow(2).mean()
    loss.backward()
    attention.retain_grad()  # GRD206
    return attention.grad


@rule.good(cures=attention_map_retained_late)
def attention_map_retained_in_time():
    import torch
    from torch import nn

    query, key = nn.Linear(4, 4), nn.Linear(4, 4)
    tokens = torch.randn(3, 4)
    attention = torch.softmax(query(tokens) @ key(tokens).t(), dim=-1)
    attention.retain_grad()
    loss = (attention @ tokens).pow(2).mean()
    loss.backward()
    return attention.grad
