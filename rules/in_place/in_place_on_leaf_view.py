"""A view of a leaf that requires grad cannot be written in place while gradients are on.

## Why it happens

A view has no memory of its own: writing `w[0]`, `w.view(-1)`, `w.t()` or a row met while iterating
writes the tensor it was taken from. If that is a leaf that requires grad, the write would change the
value that the gradient is about, and torch forbids it just as on the leaf itself. A view taken under
`torch.no_grad()` but written outside is refused too, because torch cannot tell which was meant, whatever
it is a view of. What `split`, `chunk`, `unbind` and iteration give may not be written at all where that is recorded.

## What it costs

The line raises `RuntimeError` whenever it is reached with gradients on.

## When it is right to ignore it

In a function that is only ever called with gradients off by callers in other files. Findings in
functions that are handed their tensors and whose callers are not seen are believed least and not
shown by default.
"""

from __future__ import annotations

from gradlint.domain import YES, Tensor, either
from gradlint.events import WrittenInPlace
from gradlint.rule import Findings, Raises, Rule, quoted

from ._writing import is_watched, refused, weighed

rule = Rule(
    "GRD302",
    "in-place-on-leaf-view",
    "in-place operation on {name}, {what}",
    help="take the view and write it inside one `with torch.no_grad():`",
    yields_to=("GRD303",),
)
consequence = Raises(
    RuntimeError, "a view of a leaf Variable that requires grad is being used in an in-place operation"
)
MADE_WITHOUT_GRAD = Raises(RuntimeError, "A view was created in no_grad mode and is being modified inplace")
ONE_OF_SEVERAL = Raises(RuntimeError, "is a view and is being modified inplace")


@rule.on(WrittenInPlace)
def check(event: WrittenInPlace) -> Findings:
    if is_watched(event) and event.base is not None and _is_refused(event.target, event.base):
        draft = refused(rule, event, what="a view of a leaf that requires grad")
        draft = draft.marked(event.base.causes, asked="the leaf was asked to require grad here")
        yield draft.marked(event.target.causes, made="the view was taken here")


@rule.on(WrittenInPlace)
def check_view(event: WrittenInPlace) -> Findings:
    """A view that was made with gradients off or with others, by a write that is recorded."""
    target = event.target
    asks = either((target.requires_grad, *(one.requires_grad for one in event.operands)))
    if is_watched(event) and target.unwritable <= YES and asks <= YES:
        what = "a view taken with gradients disabled or as one of several"
        draft = rule.at(event.node, name=quoted(event.name, "the tensor"), what=what)
        draft = draft.advising("write into a copy (`.clone()`), or into the tensor it is a view of")
        yield weighed(draft, event).marked(target.causes, made="the view was taken here")


def _is_refused(view: Tensor, base: Tensor) -> bool:
    """A view that was recorded stays refused even if its leaf no longer requires grad."""
    return base.leaf <= YES and either((base.requires_grad, view.requires_grad)) <= YES


@rule.bad
def first_row_scaled():
    import torch

    weight = torch.ones(3, 3, requires_grad=True)
    weight[0].mul_(2)  # GRD302
    return weight


@rule.good(cures=first_row_scaled)
def first_row_scaled_without_recording():
    import torch

    weight = torch.ones(3, 3, requires_grad=True)
    with torch.no_grad():
        weight[0].mul_(2)
    return weight


@rule.bad
def diagonal_cleared():
    from torch import nn

    layer = nn.Linear(3, 3, bias=False)
    diagonal = layer.weight.diagonal()
    diagonal.zero_()  # GRD302
    return layer


@rule.good(cures=diagonal_cleared)
def diagonal_cleared_without_recording():
    import torch
    from torch import nn

    layer = nn.Linear(3, 3, bias=False)
    with torch.no_grad():
        diagonal = layer.weight.diagonal()
        diagonal.zero_()
    return layer


@rule.bad(shows=MADE_WITHOUT_GRAD)
def padding_row_written_outside():
    import torch
    from torch import nn

    embedding = nn.Embedding(10, 4)
    with torch.no_grad():
        padding = embedding.weight[0]
    padding.fill_(0.0)  # GRD302
    return embedding


@rule.good(cures=padding_row_written_outside)
def padding_row_written_inside():
    import torch
    from torch import nn

    embedding = nn.Embedding(10, 4)
    with torch.no_grad():
        padding = embedding.weight[0]
        padding.fill_(0.0)
    return embedding


@rule.bad(shows=ONE_OF_SEVERAL)
def rows_shifted_in_a_loop():
    import torch

    weight = torch.ones(3, 3, requires_grad=True)
    for row in weight:
        row.add_(1)  # GRD302
    return weight


@rule.good(cures=rows_shifted_in_a_loop)
def rows_shifted_without_recording():
    import torch

    weight = torch.ones(3, 3, requires_grad=True)
    with torch.no_grad():
        for row in weight:
            row.add_(1)
    return weight
