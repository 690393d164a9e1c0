"""Asking a clone to require grad makes no leaf of it where what was cloned requires grad.

## Why it happens

`clone()` is a recorded operation like any other: gradients flow through it. The clone of a tensor that
requires grad requires grad as well, and it is a result in the graph, not a leaf. `requires_grad_()` then
finds the flag set already and does nothing. Assigning `requires_grad = True` to it is refused.

## What it costs

Backward passes the gradient of the clone on to the tensor that was cloned. The clone's own `.grad` stays
None, an optimizer refuses it ("can't optimize a non-leaf Tensor"), and the original collects gradients that were meant
for the copy. The assignment raises `RuntimeError`.

## When it is right to ignore it

Where the gradient is to flow through the clone into the original. Then the request has no effect and can
be taken away.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, CauseKind, Syntax
from gradlint.events import ModuleFinished, RequiresGradChanged
from gradlint.rule import Draft, Edit, Findings, Raises, Rule, quoted

rule = Rule(
    "GRD122",
    "cloned-leaf",
    "{name} is a non-leaf clone of a tensor that requires grad, so {outcome}",
    help="use `.detach().clone()`, which is a leaf of its own",
    effect="wrong result",
    tokens=("clone",),
)

OUTCOMES = {
    "method": "`requires_grad_()` has no effect",
    "assign": "setting `requires_grad` raises",
}


def consequence(returned: Any) -> bool:
    """What was to be a leaf of its own is none, and backward leaves it without a gradient."""
    return not returned.is_leaf and returned.requires_grad and not returned.retains_grad


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    first: dict[tuple[Syntax, int], RequiresGradChanged] = {}
    for asked in event.story:
        if isinstance(asked, RequiresGradChanged):
            first.setdefault((asked.node, asked.run), asked)
    # Where the first pass of a loop asks a leaf, the request is needed, whatever it does for the clones of later ones.
    for asked in first.values():
        if _is_for_a_clone(asked):
            yield _at(asked).resting_on(asked)


def _is_for_a_clone(asked: RequiresGradChanged) -> bool:
    tensor = asked.tensor
    return asked.to <= YES and tensor.made == "clone" and tensor.leaf <= NO and asked.by in OUTCOMES


def _at(asked: RequiresGradChanged) -> Draft:
    marks = asked.tensor.causes
    draft = rule.at(asked.node, name=quoted(asked.name, "the tensor"), outcome=OUTCOMES[asked.by])
    draft = draft.doing("error") if asked.by == "assign" else draft
    cloned = next((mark.node for mark in marks if mark.kind == CauseKind.MADE), None)
    if cloned is not None:
        draft = draft.fix(Edit("wrap", cloned, after=".detach()"), safety="unsafe")
    return draft.marked(marks, made="cloned here, as an operation of the graph", asked="asked to require grad here")


@rule.bad
def adversarial_copy():
    import torch

    image = torch.ones(3, requires_grad=True)
    adversary = image.clone().requires_grad_(True)  # GRD122
    (adversary * 2).sum().backward()
    return adversary


@rule.good(cures=adversarial_copy)
def adversarial_copy_of_its_own():
    import torch

    image = torch.ones(3, requires_grad=True)
    adversary = image.detach().clone().requires_grad_(True)
    (adversary * 2).sum().backward()
    return adversary


@rule.bad
def weights_copied_for_a_search():
    from torch import nn

    layer = nn.Linear(2, 1)
    weight = layer.weight.clone()
    weight.requires_grad_()  # GRD122
    weight.pow(2).sum().backward()
    return weight


@rule.good(cures=weights_copied_for_a_search)
def weights_copied_without_the_graph():
    from torch import nn

    layer = nn.Linear(2, 1)
    weight = layer.weight.detach().clone()
    weight.requires_grad_()
    weight.pow(2).sum().backward()
    return weight


@rule.bad(shows=Raises(RuntimeError, "you can only change requires_grad flags of leaf variables"))
def clone_asked_by_assignment():
    import torch

    start = torch.zeros(2, requires_grad=True)
    trial = start.clone()
    trial.requires_grad = True  # GRD122
    return trial


@rule.good(cures=clone_asked_by_assignment)
def detached_clone_asked_by_assignment():
    import torch

    start = torch.zeros(2, requires_grad=True)
    trial = start.clone().detach()
    trial.requires_grad = True
    return trial
