"""Binding a loop's variable to an updated parameter does not update the parameter.

## Why it happens

`for p in model.parameters():` gives `p`, one after the other, the parameters that the model holds. `p = p - lr *
p.grad` computes a new tensor and makes `p` its name; the model still holds the old one, and the new one is gone when
the loop goes on. Only a write in place (`p -= ...`, `p.sub_(...)`, `p.copy_(...)`) under `torch.no_grad()` reaches the
parameter. The same holds for a clipped weight (`p = p.clamp(-c, c)`) and a moving average (`t = m * t + (1 - m) * p`).

## What it costs

The weights stay as they were, without an error: nothing is learned, clipped or averaged.

## When it is right to ignore it

Never where it is reported. A new tensor that is used before the name is bound again (fast weights that are collected,
yielded or returned) is not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES
from gradlint.events import NameRebound
from gradlint.rule import Draft, Edit, Findings, Rule

from ._rebinding import tensors

rule = Rule(
    "GRD306",
    "rebound-parameter",
    "`{name} = ...` rebinds the loop variable and leaves the parameter unchanged",
    help="write the parameter in place: `with torch.no_grad(): p.copy_(...)`",
    effect="no effect",
    tokens=("parameters", "grad"),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The parameters are not those that an update in place gives."""
    return any(not kept.equal(meant) for kept, meant in zip(returned.parameters(), cured.parameters(), strict=True))


@rule.on(NameRebound)
def check(event: NameRebound) -> Findings:
    """A leaf that was to be updated by its gradient, or a parameter whose name gets a tensor with memory of its own."""
    held = tensors(event) if event.looped and not event.read else None
    if held is None:
        return
    old, value = held
    if event.updates and old.leaf <= YES and old.requires_grad <= YES:
        cure = f"update it in place: `with torch.no_grad(): {event.name} -= lr * {event.name}.grad`"
    elif old.parameter <= YES and value.storage and set(old.storage).isdisjoint(value.storage):
        cure = f"write it in place: `with torch.no_grad(): {event.name}.copy_(...)`"
    elif old.parameter <= YES and event.same.possibly(NO):  # a move, a cast, a view: a copy into it would be no cure
        yield rule.at(event.node, name=event.name).advising(f"assign to `{event.name}.data`, which replaces its memory")
        return
    else:
        return
    yield _updated(rule.at(event.node, name=event.name).advising(cure), event)


def _updated(draft: Draft, event: NameRebound) -> Draft:
    """The draft with an update in place, where the assignment does nothing else."""
    if event.statement is None:
        return draft
    copied = Edit("give to", event.statement, f"{event.name}.copy_(", ")")
    if event.grad_mode <= NO:
        return draft.fix(copied, safety="unsafe")
    return draft.fix(
        copied, Edit("put under", event.statement, "with torch.no_grad():"), safety="unsafe", imports=("torch",)
    )


@rule.bad
def step_by_assignment():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    model(torch.ones(1, 2)).sum().backward()
    for parameter in model.parameters():
        parameter = parameter - 0.1 * parameter.grad  # GRD306
    return model


@rule.good(cures=step_by_assignment)
def step_in_place():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    model(torch.ones(1, 2)).sum().backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 0.1 * parameter.grad
    return model


@rule.bad
def momentum_by_assignment():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    model(torch.ones(3, 2)).pow(2).mean().backward()
    with torch.no_grad():
        for _, p in model.named_parameters():
            p = p.sub(p.grad, alpha=0.1)  # GRD306
    return model


@rule.good(cures=momentum_by_assignment)
def momentum_in_place():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    model(torch.ones(3, 2)).pow(2).mean().backward()
    with torch.no_grad():
        for _, p in model.named_parameters():
            p.sub_(p.grad, alpha=0.1)
    return model


@rule.bad
def moving_average_by_assignment():
    import torch
    from torch import nn

    torch.manual_seed(0)
    student, teacher = nn.Linear(2, 1), nn.Linear(2, 1)
    for mine, its in zip(teacher.parameters(), student.parameters(), strict=True):
        mine = 0.9 * mine + 0.1 * its  # GRD306
    return teacher


@rule.good(cures=moving_average_by_assignment)
def moving_average_in_place():
    import torch
    from torch import nn

    torch.manual_seed(0)
    student, teacher = nn.Linear(2, 1), nn.Linear(2, 1)
    with torch.no_grad():
        for mine, its in zip(teacher.parameters(), student.parameters(), strict=True):
            mine.copy_(0.9 * mine + 0.1 * its)
    return teacher
