"""`torch.tensor(losses)` copies the numbers of its tensors and leaves their graphs behind.

## Why it happens

`torch.tensor`, `torch.FloatTensor` and the like make a new leaf out of data. Tensors in that data are read
as numbers. The result has the right values and no history, and with `requires_grad=True` it is a leaf of its own
whose gradient nobody uses. `torch.stack` and `torch.cat` are the operations that put tensors together
inside the graph.

## What it costs

`backward()` raises `RuntimeError`, or, where the new tensor was asked to require grad, runs without a
word and leaves every parameter without a gradient. torch 2.13 also warns that a tensor that requires
grad was converted to a scalar.

## When it is right to ignore it

For values that are only looked at. Without a backward, and without `requires_grad=True`, the finding is
believed least and not shown by default.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, AskKind, Cause, CauseKind, CutKind
from gradlint.events import BackwardRun, ModuleFinished, Recorded, RequiresGradChanged
from gradlint.rule import POSSIBLE, Draft, Edit, Findings, Raises, Rule

from ._cutting import added, cut_by, kind_of, terms_cut_by

rule = Rule(
    "GRD603",
    "tensor-of-losses",
    "`{call}(...)` copies the values of tensors that require grad and drops their graphs",
    help="use `torch.stack(...)`, which keeps the graphs",
    yields_to=("GRD123",),
    effect="error later",
    tokens=("tensor", "Tensor", "as_tensor", "asarray", "new_tensor", "full", "full_like", "new_full"),
)
consequence = Raises(RuntimeError, "does not require grad and does not have a grad_fn")


def nothing_arrives(returned: Any) -> bool:
    """The parameter has no gradient."""
    return returned.grad is None


@rule.on(BackwardRun)
def check_root(event: BackwardRun) -> Findings:
    if event.root.requires_grad <= NO and (mark := cut_by(CutKind.COPIED, event.root.causes)) is not None:
        yield _at(mark).note(event.node, "nothing is left to be differentiated here")


@rule.on(RequiresGradChanged)
def check_leaf(event: RequiresGradChanged) -> Findings:
    """A leaf of its own was hardly meant where it is made of tensors that have a history."""
    for mark in _made_here(event, event.tensor.causes):
        if event.by is AskKind.FACTORY and event.to <= YES:
            yield _at(mark, Edit("drop keyword", mark.node, "requires_grad")).doing("wrong result")


@rule.on(Recorded)
def check_made(event: Recorded) -> Findings:
    for mark in _made_here(event, event.result.causes):
        if event.grad_mode <= YES:
            yield _at(mark).doing("wrong result").lowered(POSSIBLE, "the number may be meant to be a constant")


@rule.on(ModuleFinished)
def check_term(end: ModuleFinished) -> Findings:
    """One term of the loss has no graph, and nothing is trained by it."""
    for mark, event in terms_cut_by(CutKind.COPIED, end):
        yield added(_at(mark), event)


def _made_here(event: RequiresGradChanged | Recorded, marks: tuple[Cause, ...]) -> list[Cause]:
    """The cut that the call of a factory itself is."""
    return [
        mark
        for mark in marks
        if mark.kind == CauseKind.CUT and mark.node is event.node and kind_of(mark) is CutKind.COPIED
    ]


def _at(mark: Cause, *more: Edit) -> Draft:
    draft = rule.at(mark.node, call=f"torch.{mark.by}")
    return draft.fix(Edit("rename", mark.node, "stack"), *more, safety="unsafe") if mark.by == "tensor" else draft


@rule.bad
def mean_of_a_tensor_of_losses():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    losses = [model(torch.ones(1, 2)).sum(), model(torch.zeros(1, 2)).sum()]
    torch.tensor(losses).mean().backward()  # GRD603
    return model.weight


@rule.good(cures=mean_of_a_tensor_of_losses)
def mean_of_stacked_losses():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    losses = [model(torch.ones(1, 2)).sum(), model(torch.zeros(1, 2)).sum()]
    torch.stack(losses).mean().backward()
    return model.weight


@rule.bad(shows=nothing_arrives)
def asked_to_require_grad():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    losses = []
    for batch in (torch.ones(1, 2), torch.zeros(1, 2)):
        losses.append(model(batch).sum())  # GRD502
    loss = torch.tensor(losses, requires_grad=True).sum()  # GRD603
    loss.backward()
    return model.weight


@rule.good(cures=asked_to_require_grad)
def stacked_as_they_are():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    losses = []
    for batch in (torch.ones(1, 2), torch.zeros(1, 2)):
        losses.append(model(batch).sum())
    loss = torch.stack(losses).sum()
    loss.backward()
    return model.weight
