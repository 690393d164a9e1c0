"""A parameter that is frozen while it has a gradient goes on moving.

## Why it happens

`requires_grad = False` keeps new gradients from arriving; it takes nothing away. An optimizer does not
look at the flag but at `.grad`: as long as that is not None, it updates the parameter. A gradient of
zeros, as `zero_grad(set_to_none=False)` leaves it, is enough for one with momentum or weight decay.

## What it costs

The frozen weights drift with every step, silently.

## When it is right to ignore it

Where the gradients are cleared between the freezing and the step in code that the file does not show.
`zero_grad()`, which sets gradients to None, is enough, before the freezing or after it.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import FRESH, MIXED, NO, USED, YES, AskKind, CauseKind, Constant, CutKind, Optimizer, Ref, Tensor
from gradlint.events import OptimizerStepped
from gradlint.rule import Edit, Findings, Rule

rule = Rule(
    "GRD717",
    "frozen-after-optimizer",
    "the step still updates a parameter that was frozen while it had a gradient",
    help="set its `.grad` to `None`, or leave the parameter out of the optimizer",
    effect="wrong result",
    default=False,
    tokens=("requires_grad", "requires_grad_"),
)

MOVING = FRESH | USED | MIXED
"""The states of a gradient that certainly moves the parameter."""
WITH_INERTIA = frozenset({"Adam", "AdamW", "Adamax", "NAdam", "RAdam", "ASGD"})
"""Optimizers that go on moving on a gradient of zeros; others do if an option says so."""

CLEARED: dict[AskKind | CutKind, str] = {
    AskKind.ASSIGNMENT: "grad = None",
    AskKind.METHOD: "grad = None",
    AskKind.MODULE: "zero_grad()",
}
"""The ways in which the gradients of what is frozen are set to None, by what it is frozen by."""


def consequence(returned: Any) -> bool:
    """The frozen weight moved."""
    before, after = returned
    return bool((before != after).any())


@rule.on(OptimizerStepped)
def check(event: OptimizerStepped) -> Findings:
    frozen = [one for one in event.parameters if one.requires_grad <= NO and _still_moves(event.optimizer, one)]
    if frozen := [one for one in frozen if _was_trained(one)]:
        draft = rule.at(event.node)
        draft = draft.marked(frozen[0].causes, asked="frozen here", backward="its gradient arrived here")
        cures = dict.fromkeys(cure for tensor in frozen for cure in _cures(tensor))
        yield draft.fix(*cures, safety="unsafe") if all(_cures(tensor) for tensor in frozen) else draft


def _cures(tensor: Tensor) -> tuple[Edit, ...]:
    """Clear its gradient where it is frozen, together with those that are frozen with it."""
    asked = [mark for mark in tensor.causes if mark.kind == CauseKind.ASKED]
    if len(asked) != 1 or not asked[0].name or asked[0].how not in CLEARED:
        return ()
    return (Edit("insert after", asked[0].node, f"{asked[0].name}.{CLEARED[asked[0].how]}"),)


def _was_trained(tensor: Tensor) -> bool:
    """Return whether a backward filled the gradient, not the program itself."""
    return tensor.leaf <= YES and any(mark.kind == CauseKind.BACKWARD for mark in tensor.causes)


def _still_moves(optimizer: Optimizer, tensor: Tensor) -> bool:
    """Return whether the parameter has a nonzero gradient, or zeros and an optimizer that moves it all the same."""
    if tensor.grad <= MOVING:
        return True
    return isinstance(tensor.gradient, Ref) and optimizer.stepped <= YES and _has_inertia(optimizer)


def _has_inertia(optimizer: Optimizer) -> bool:
    options = dict(optimizer.options)
    asked = [options.get(name, Constant(0)) for name in ("momentum", "weight_decay")]
    return optimizer.kind in WITH_INERTIA or any(isinstance(one, Constant) and bool(one.value) for one in asked)


@rule.bad
def zeros_and_momentum():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)  # GRD722
    model.requires_grad_(False)
    before = model.weight.clone()
    optimizer.step()  # GRD717
    return before, model.weight


@rule.good(cures=zeros_and_momentum)
def no_gradient_and_momentum():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.ones(1, 1)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    model.requires_grad_(False)
    before = model.weight.clone()
    optimizer.step()
    return before, model.weight


@rule.bad
def frozen_between_backward_and_step():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    model[0].weight.requires_grad = False
    before = model[0].weight.clone()
    optimizer.step()  # GRD717
    return before, model[0].weight


@rule.good(cures=frozen_between_backward_and_step)
def frozen_and_cleared():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    model[0].weight.requires_grad = False
    model[0].weight.grad = None
    before = model[0].weight.clone()
    optimizer.step()
    return before, model[0].weight
