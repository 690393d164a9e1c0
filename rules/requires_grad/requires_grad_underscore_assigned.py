"""Assigning to `requires_grad_` hides the method and leaves the flag as it was.

## Why it happens

`requires_grad` is the flag, `requires_grad_()` the method that sets it. Python lets an object have an
attribute of its own in front of a method of its class, so the assignment succeeds: the tensor or module now
carries a boolean under the method's name, and autograd never looks there. `retain_grad = True` is the same
slip on another method, and so is `model.train = False`.

## What it costs

The tensor has no gradient, or the parameters that were to be frozen go on training. Whoever calls the method
later gets a `TypeError`, because a boolean cannot be called.

## When it is right to ignore it

Where the method is replaced on purpose, by a mock or a function of one's own: only plain values are reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import Constant, Module, PythonNumber, Tensor
from gradlint.events import AttributeAssigned
from gradlint.rule import Draft, Edit, Findings, Rule

from ._calling import called_instead, given

METHODS: dict[type, frozenset[str]] = {
    Tensor: frozenset({"requires_grad_", "retain_grad"}),
    Module: frozenset({"requires_grad_", "zero_grad", "train", "eval"}),
}
TAKE_A_VALUE = frozenset({"requires_grad_", "train"})

rule = Rule(
    "GRD107",
    "requires-grad-underscore-assigned",
    "`{place}` is a method: the assignment hides it and has no effect",
    help="assign to `requires_grad`, without the underscore, or call the method",
    effect="no effect",
    tokens=tuple(sorted(frozenset().union(*METHODS.values()))),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The flags are others than those that the cure sets."""
    return _flags(returned) != _flags(cured)


def _flags(thing: Any) -> list[Any]:
    tensors = list(thing.parameters()) if hasattr(thing, "parameters") else [thing]
    return [(tensor.requires_grad, tensor.retains_grad) for tensor in tensors]


@rule.on(AttributeAssigned, *sorted(frozenset().union(*METHODS.values())))
def check(event: AttributeAssigned) -> Findings:
    """A module's class may well have an attribute of that name for itself, and of the more common ones does."""
    if event.attr not in METHODS.get(type(event.owner), ()) or not isinstance(event.value, Constant | PythonNumber):
        return
    own = event.own and event.attr != "requires_grad_"
    if isinstance(event.owner, Module) and (own or event.read_by_class):
        return
    place = f"{event.name}.{event.attr}" if event.name else f".{event.attr}"
    yield _fixed(rule.at(event.node, place=place).advising(_cure(event, place)), event)


def _cure(event: AttributeAssigned, place: str) -> str:
    if event.attr == "requires_grad_" and isinstance(event.owner, Tensor):
        return "assign to `requires_grad`, without the underscore"
    wanted = given(event) or "..."
    return f"call `{place}({wanted if event.attr in TAKE_A_VALUE else ''})`"


def _fixed(draft: Draft, event: AttributeAssigned) -> Draft:
    if event.attr not in TAKE_A_VALUE:
        return draft
    if isinstance(event.owner, Tensor):
        return draft.fix(Edit("rename", event.node, "requires_grad"), safety="safe")
    return called_instead(draft, event, event.attr)


@rule.bad
def input_gradient_asked_by_assignment():
    import torch

    image = torch.rand(1, 3, 8, 8)
    image.requires_grad_ = True  # GRD107
    return image


@rule.good(cures=input_gradient_asked_by_assignment)
def input_gradient_asked_by_the_flag():
    import torch

    image = torch.rand(1, 3, 8, 8)
    image.requires_grad = True
    return image


@rule.bad
def encoder_frozen_by_assignment():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    model[0].requires_grad_ = False  # GRD107
    return model


@rule.good(cures=encoder_frozen_by_assignment)
def encoder_frozen_by_the_method():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    model[0].requires_grad_(False)
    return model


@rule.bad
def hidden_gradient_kept_by_assignment():
    import torch

    weight = torch.ones(2, requires_grad=True)
    hidden = weight * 3
    hidden.retain_grad = True  # GRD107
    return hidden


@rule.good(cures=hidden_gradient_kept_by_assignment)
def hidden_gradient_kept_by_the_method():
    import torch

    weight = torch.ones(2, requires_grad=True)
    hidden = weight * 3
    hidden.retain_grad()
    return hidden
