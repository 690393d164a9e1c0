"""Tensors computed for a dict of parameters are no leaves, whatever they were computed from.

## Why it happens

Parameters kept in a dict are often made and changed by expressions over all of them:
`{name: torch.randn(...) * 0.1 ...}`, `{name: p - rate * p.grad ...}`, `params[name] = params[name].half()`. What is
computed from something that requires grad requires grad too and looks like a parameter, but it is a
result in the graph. Backward passes its gradient on and keeps none.

## What it costs

Every `.grad` read from the dict is None, and an optimizer over its values raises
"can't optimize a non-leaf Tensor".

## When it is right to ignore it

Where the values are meant to stay in the graph, as fast weights in meta-learning are: their gradients
come from `torch.autograd.grad`, which is not reported, and neither are values told to `retain_grad()`.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import MAPPINGS, YES, CauseKind
from gradlint.events import LeafRequired
from gradlint.rule import Edit, Findings, Rule, quoted

from ._wanting import is_no_leaf

rule = Rule(
    "GRD124",
    "non-leaf-dict-values",
    "{name} is not a leaf: the dict holds computed tensors, so {outcome}",
    help="put `value.detach().requires_grad_()` into the dict",
    effect="wrong result",
    yields_to=("GRD122", "GRD713"),
    tokens=("grad", "optim"),
)

OUTCOMES = {"gradient": "its `.grad` stays `None`", "optimizer": "no optimizer takes it"}
USES = {"gradient": "its gradient is read here", "optimizer": "given to an optimizer here"}


def consequence(returned: Any) -> bool:
    """Backward has left no gradients in the dict."""
    return all(not value.is_leaf and not value.retains_grad for value in returned.values())


@rule.on(LeafRequired)
def check(event: LeafRequired) -> Findings:
    tensor = event.tensor
    held = any(holder.kind in MAPPINGS for holder in event.holders)
    if event.use not in OUTCOMES or not held or not is_no_leaf(event) or not tensor.requires_grad <= YES:
        return
    made = next((mark.node for mark in tensor.causes if mark.kind == CauseKind.MADE), event.node)
    draft = rule.at(made, name=quoted(event.name, "the value"), outcome=OUTCOMES[event.use])
    if made is event.node:
        yield draft
        return
    draft = draft.fix(Edit("wrap", made, after=".detach().requires_grad_()"), safety="unsafe")
    yield draft.marked(tensor.causes, asked="asked to require grad here").note(event.node, USES[event.use])


@rule.bad
def scaled_weights_in_a_dict():
    import torch

    weights = {name: torch.randn(2, requires_grad=True) * 0.01 for name in ("first", "second")}  # GRD124
    sum(weight.pow(2).sum() for weight in weights.values()).backward()
    gradients = [weight.grad for weight in weights.values()]
    return weights


@rule.good(cures=scaled_weights_in_a_dict)
def weights_asked_after_scaling():
    import torch

    weights = {name: (torch.randn(2) * 0.01).requires_grad_() for name in ("first", "second")}
    sum(weight.pow(2).sum() for weight in weights.values()).backward()
    gradients = [weight.grad for weight in weights.values()]
    return weights


@rule.bad
def half_precision_copy_in_a_dict():
    import torch

    master = torch.ones(3, requires_grad=True)
    params = {"weight": master.half()}  # GRD124
    params["weight"].sum().backward()
    norm = params["weight"].grad
    return params


@rule.good(cures=half_precision_copy_in_a_dict)
def half_precision_leaf_in_a_dict():
    import torch

    master = torch.ones(3, requires_grad=True)
    params = {"weight": master.half().detach().requires_grad_()}
    params["weight"].sum().backward()
    norm = params["weight"].grad
    return params
