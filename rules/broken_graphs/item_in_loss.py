"""A loss computed from Python numbers has no graph to differentiate.

## Why it happens

`item()`, `tolist()`, `float(x)` and the functions of `math` give Python numbers. A number knows nothing of
how it was computed, so what is computed from it, and a tensor made of it, starts a new history. When
all that a loss depends on went through numbers, there is nothing between it and the parameters.

## What it costs

`backward()` raises `RuntimeError`; on a loss that is itself a number there is no such method, which raises
`AttributeError`.

## When it is right to ignore it

Never known to be. Numbers that are printed or stored, and factors of a loss that still depends on its
parameters otherwise, are not reported. Where only one term of a loss went through a number torch says nothing and
the gradient lacks that term. That is reported, unless the number was subtracted before it was added.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import CutKind, OneOf, PythonNumber
from gradlint.events import BackwardRun, Called, ModuleFinished
from gradlint.rule import Findings, Raises, Rule, quoted

from ._cutting import added, cut_by, root_cut_by, roots_cut_on_one_path, spelled, terms_cut_by, with_cuts

rule = Rule(
    "GRD601",
    "item-in-loss",
    "{name} is computed from Python numbers and has no graph to differentiate",
    help="leave out the {cut}: compute the loss with operations on tensors",
    tokens=("item", "tolist", "float", "int", "complex", "math"),
)
consequence = Raises(RuntimeError, "does not require grad and does not have a grad_fn")
NO_SUCH_METHOD = Raises(AttributeError, "'float' object has no attribute 'backward'")
NOTE = "the tensor became a Python number here, which has no graph"


def trains_nothing(returned: Any, cured: Any) -> bool:
    """The gradient is not what it is where the term counts."""
    return returned.grad is None or not returned.grad.equal(cured.grad)


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    yield from root_cut_by(rule, CutKind.NUMBER, event, NOTE)


@rule.on(Called, "builtins.float.backward")
def check_number(event: Called) -> Findings:
    """A number has no backward at all."""
    number = event.args[0]
    options = number.values if isinstance(number, OneOf) else (number,)
    mark = cut_by(
        CutKind.NUMBER, [mark for option in options if isinstance(option, PythonNumber) for mark in option.cuts]
    )
    if mark is not None:
        yield with_cuts(rule.at(event.node, name=quoted(event.name, "the loss"), cut=spelled(mark)), mark, NOTE)


@rule.on(ModuleFinished)
def check_one_path(end: ModuleFinished) -> Findings:
    """The loss has no graph on the path that comes by a cut, and backward is called on both."""
    yield from roots_cut_on_one_path(rule, CutKind.NUMBER, end, NOTE)


@rule.on(ModuleFinished)
def check_term(end: ModuleFinished) -> Findings:
    """One term of the loss has no graph, and nothing is trained by it."""
    for mark, event in terms_cut_by(CutKind.NUMBER, end):
        yield added(rule.at(mark.node, name="a term of the loss", cut=spelled(mark)), event)


@rule.bad
def loss_from_an_item():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    error = model(torch.ones(1, 2)).item() - 1
    loss = torch.tensor(error**2)
    loss.backward()  # GRD601
    return model


@rule.good(cures=loss_from_an_item)
def loss_from_a_tensor():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    error = model(torch.ones(1, 2)).sum() - 1
    loss = error**2
    loss.backward()
    return model


@rule.bad
def square_root_of_math():
    import math

    import torch

    weight = torch.tensor([4.0], requires_grad=True)
    loss = torch.ones(1) * math.sqrt(weight)
    loss.backward()  # GRD601
    return weight


@rule.good(cures=square_root_of_math)
def square_root_of_torch():
    import torch

    weight = torch.tensor([4.0], requires_grad=True)
    loss = torch.ones(1) * torch.sqrt(weight)
    loss.backward()
    return weight


@rule.bad(shows=NO_SUCH_METHOD)
def sum_of_items():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    total = 0.0
    for batch in (torch.ones(1, 2), torch.zeros(1, 2)):
        total += model(batch).sum().item()
    total.backward()  # GRD601
    return model


@rule.good(cures=sum_of_items)
def sum_of_tensors():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    total = 0.0
    for batch in (torch.ones(1, 2), torch.zeros(1, 2)):
        total += model(batch).sum()
    total.backward()
    return model


@rule.bad(shows=trains_nothing)
def penalty_from_an_item():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    error = model(torch.ones(4, 2)).pow(2).mean()
    penalty = model.weight.abs().sum().item()  # GRD601
    loss = error + 0.1 * penalty
    loss.backward()
    return model.weight


@rule.good(cures=penalty_from_an_item)
def penalty_from_a_tensor():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    error = model(torch.ones(4, 2)).pow(2).mean()
    penalty = model.weight.abs().sum()
    loss = error + 0.1 * penalty
    loss.backward()
    return model.weight
