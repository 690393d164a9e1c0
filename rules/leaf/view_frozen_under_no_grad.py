"""A view taken under `no_grad()` goes on requiring grad, whatever it is told.

## Why it happens

A view of a tensor that requires grad requires grad as well, even one taken while no graph is recorded. It
calls itself a leaf, but its flag is that of the tensor it looks into: `requires_grad_(False)` and
`requires_grad = False` go through without an error and change nothing.

## What it costs

What is computed from the view later, with gradients on, is recorded and keeps its inputs alive, and
backward goes through what was to be frozen.

## When it is right to ignore it

Where the view is only used while gradients are off. Then the line has no effect and can be taken away.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, CauseKind
from gradlint.events import RequiresGradChanged
from gradlint.rule import Edit, Findings, Rule, quoted

rule = Rule(
    "GRD126",
    "view-frozen-under-no-grad",
    "{name} is a view taken with gradients disabled and still requires grad",
    help="take the view of `tensor.detach()`",
    effect="no effect",
    default=False,
    tokens=("requires_grad",),
)


def consequence(returned: Any) -> bool:
    """The view still requires grad."""
    return bool(returned.requires_grad)


@rule.on(RequiresGradChanged)
def check(event: RequiresGradChanged) -> Findings:
    tensor = event.tensor
    is_view = bool(tensor.base) and None not in tensor.base
    if not (event.to <= NO and is_view and tensor.leaf <= YES and event.now <= YES):
        return
    draft = rule.at(event.node, name=quoted(event.name, "the tensor"))
    made = next((mark.node for mark in tensor.causes if mark.kind == CauseKind.MADE), None)
    if made is not None:
        draft = draft.fix(Edit("wrap", made, after=".detach()"), safety="safe")
    yield draft.marked(tensor.causes, made="the view was taken here", asked="requires grad since here")


@rule.bad
def frozen_rows():
    import torch

    weight = torch.ones(4, 2, requires_grad=True)
    with torch.no_grad():
        rows = weight[:2]
    rows.requires_grad_(False)  # GRD126
    return rows


@rule.good(cures=frozen_rows)
def detached_rows():
    import torch

    weight = torch.ones(4, 2, requires_grad=True)
    with torch.no_grad():
        rows = weight.detach()[:2]
    rows.requires_grad_(False)
    return rows


@rule.bad
def transposed_decoder_frozen_by_assignment():
    import torch
    from torch import nn

    class TiedDecoder:
        @torch.no_grad()
        def __init__(self, encoder):
            self.weight = encoder.weight.t()
            self.weight.requires_grad = False  # GRD126

    return TiedDecoder(nn.Linear(4, 2)).weight


@rule.good(cures=transposed_decoder_frozen_by_assignment)
def transposed_decoder_detached():
    import torch
    from torch import nn

    class TiedDecoder:
        @torch.no_grad()
        def __init__(self, encoder):
            self.weight = encoder.weight.t().detach()
            self.weight.requires_grad = False

    return TiedDecoder(nn.Linear(4, 2)).weight
