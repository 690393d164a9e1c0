"""An update by hand uses the sum of all gradients so far, unless the gradient is cleared after it.

## Why it happens

`backward()` adds to what is in `.grad`. An optimizer comes with `zero_grad()`, which people remember; a loop that
updates its weights by hand has to clear each gradient itself, and if it does not, the second update uses the first
gradient once more, the third the first two, and so on.

## What it costs

The steps point in the wrong direction and grow. Training may still go down for a while, then oscillates or diverges.

## When it is right to ignore it

Where the sum of all gradients is wanted (a kind of momentum). A gradient that is cleared, or asked for with
`torch.autograd.grad()`, is not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import FRESH, MIXED, USED, YES, Tensor
from gradlint.events import BackwardRun, LoopFinished, WrittenInPlace
from gradlint.rule import Draft, Edit, Findings, Rule, believed, quoted

rule = Rule(
    "GRD314",
    "stale-manual-gradient",
    "the gradient of {name} is used for an update but never cleared, so this backward() adds to that of the iterations "
    "before; set it to None after the update",
    help="`w.grad = None` after each update",
    effect="silently wrong",
    tokens=("grad",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than with gradients of their own in each iteration."""
    return not returned.equal(cured)


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    updates = [one for one in event.story if isinstance(one, WrittenInPlace) and one.updates and one.by != "step"]
    for run in event.story:
        if isinstance(run, BackwardRun) and run.how == "backward" and run.later <= YES:
            for update in updates:
                if any(_is_left(leaf) and _are_one(leaf, update.target) for leaf in run.leaves):
                    name = update.name.removesuffix(".data")
                    draft = rule.at(run.node, name=quoted(name, "a tensor")).note(update.node, "used here")
                    yield _cured(draft, update, name).lowered(max(believed(run), believed(update)))
                    break


def _is_left(leaf: Tensor) -> bool:
    """Whether the leaf certainly still has the gradient of an earlier iteration."""
    return leaf.grad <= FRESH | USED | MIXED


def _are_one(leaf: Tensor, target: Tensor) -> bool:
    """Whether these are handles on the same memory."""
    return not set(leaf.storage).isdisjoint(target.storage)


def _cured(draft: Draft, update: WrittenInPlace, name: str) -> Draft:
    if not name.isidentifier():
        return draft
    return draft.fix(Edit("insert after", update.node, f"{name}.grad = None"), safety="unsafe")


@rule.bad
def descent_by_hand():
    import torch

    weight = torch.ones(1, requires_grad=True)
    for _ in range(3):
        (3 * weight).sum().backward()  # GRD314
        with torch.no_grad():
            weight -= 0.1 * weight.grad
    return weight


@rule.good(cures=descent_by_hand)
def descent_by_hand_with_a_clear_gradient():
    import torch

    weight = torch.ones(1, requires_grad=True)
    for _ in range(3):
        (3 * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.1 * weight.grad
        weight.grad = None
    return weight


@rule.bad
def parameters_stepped_through_data():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    for _ in range(3):
        loss = model(torch.ones(4, 2)).pow(2).mean()
        loss.backward()  # GRD314
        for parameter in model.parameters():
            parameter.data.sub_(0.1 * parameter.grad)
    return model.weight


@rule.good(cures=parameters_stepped_through_data)
def parameters_stepped_and_cleared():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    for _ in range(3):
        loss = model(torch.ones(4, 2)).pow(2).mean()
        model.zero_grad()
        loss.backward()
        for parameter in model.parameters():
            parameter.data.sub_(0.1 * parameter.grad)
    return model.weight
