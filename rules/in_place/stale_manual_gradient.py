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

from collections.abc import Iterator, Sequence
from typing import Any

from gradlint.domain import FRESH, MIXED, USED, YES, Syntax, Tensor
from gradlint.events import AttributeAssigned, BackwardRun, Event, GradientRead, LoopFinished, WrittenInPlace
from gradlint.rule import Draft, Edit, Findings, Rule, quoted

rule = Rule(
    "GRD314",
    "stale-manual-gradient",
    "the gradient of {name} is never cleared: `backward()` adds to earlier iterations",
    help="set `w.grad = None` after each update",
    effect="wrong result",
    tokens=("grad",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than with gradients of their own in each iteration."""
    return not returned.equal(cured)


Update = WrittenInPlace | AttributeAssigned
"""How a program updates a tensor: it writes its memory, or gives it other data."""


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    updates = [
        one for one in event.story if isinstance(one, Update) and one.updates and getattr(one, "by", "") != "step"
    ]
    for run in event.story:
        if isinstance(run, BackwardRun) and run.how == "backward" and run.later <= YES:
            left = [leaf for leaf in run.leaves if _is_left(leaf)]
            meant = {one.node: one for one in updates if any(_are_one(leaf, _target(one)) for leaf in left)}
            if meant:
                first = next(iter(meant.values()))
                draft = rule.at(run.node, name=quoted(_name(first), "a tensor")).note(first.node, "used here")
                draft = draft.resting_on(run, first)
                yield _cured(draft, tuple(meant.values()), event.story)


def _name(update: Update) -> str:
    return update.name.removesuffix(".data")


def _target(update: Update) -> Tensor:
    thing = update.target if isinstance(update, WrittenInPlace) else update.owner
    assert isinstance(thing, Tensor)  # no other object's data are given to it
    return thing


def _is_left(leaf: Tensor) -> bool:
    """Whether the leaf certainly still has the gradient of an earlier iteration."""
    return leaf.grad <= FRESH | USED | MIXED


def _are_one(leaf: Tensor, target: Tensor) -> bool:
    """Whether these are handles on the same memory."""
    return not set(leaf.storage).isdisjoint(target.storage)


def _cured(draft: Draft, updates: Sequence[Update], story: Sequence[Event]) -> Draft:
    """Every tensor that is updated by hand is to lose its gradient, behind the last use of it in an iteration."""
    last: dict[str, set[Syntax]] = {}
    for update in updates:
        again = list(_read_again(update, story))
        if not _name(update).isidentifier() or any(read.conditions != update.conditions for read in again):
            return draft
        last.setdefault(_name(update), set()).update([] if again else [update.node])
    edits = [Edit("insert after", node, f"{name}.grad = None") for name, nodes in last.items() for node in nodes]
    return draft.fix(*edits, safety="unsafe") if all(last.values()) else draft


def _read_again(update: Update, story: Sequence[Event]) -> Iterator[GradientRead]:
    """Where the gradient is read between the update and the next backward.

    Of a tensor that stands for several, only places that no other one of them has come by before are meant.
    """
    updated, seen = False, set[Syntax]()
    for event in story:
        if isinstance(event, BackwardRun):
            updated, seen = False, set()
        elif event.node is update.node and isinstance(event, Update):
            updated = True
        elif isinstance(event, GradientRead) and _are_one(event.tensor, _target(update)):
            if updated and not (_target(update).is_summary and event.node in seen):
                yield event
            seen.add(event.node)


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


@rule.bad
def data_replaced_by_a_step_of_descent():
    import torch

    weight = torch.ones(1, requires_grad=True)
    for _ in range(3):
        (3 * weight).sum().backward()  # GRD314
        weight.data = weight.data - 0.1 * weight.grad
    return weight


@rule.good(cures=data_replaced_by_a_step_of_descent)
def data_replaced_and_gradient_cleared():
    import torch

    weight = torch.ones(1, requires_grad=True)
    for _ in range(3):
        (3 * weight).sum().backward()
        weight.data = weight.data - 0.1 * weight.grad
        weight.grad = None
    return weight
