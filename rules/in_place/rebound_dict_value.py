"""Binding a loop's variable to a new tensor changes nothing in the container that the loop goes over.

## Why it happens

`for name, value in tensors.items():` makes `value` a name for what the dict holds. `value = value.detach()` makes it
the name of another tensor; the dict keeps the one it has. To put a tensor into the dict its key has to be assigned:
`tensors[name] = value.detach()`.

## What it costs

The line has no effect: nothing was moved, cloned, detached or asked to require grad.

## When it is right to ignore it

Never where it is reported. A new tensor that is read before the name is bound again is not reported, and neither are
batches of a loader.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint.domain import NO
from gradlint.events import NameRebound
from gradlint.rule import Edit, Findings, Rule

from ._rebinding import tensors

rule = Rule(
    "GRD307",
    "rebound-dict-value",
    "`{name} = ...` rebinds the loop variable and leaves the container unchanged",
    help="assign to the container: `tensors[key] = ...`",
    effect="no effect",
    yields_to=("GRD306",),
    tokens=("for",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """What the container holds differs from what was meant in its values or in what autograd knows of it."""
    facts: list[Callable[[Any], Any]] = [lambda t: t.requires_grad, lambda t: t.grad_fn is None, lambda t: t.tolist()]
    return any(fact(a) != fact(b) for a, b in zip(returned, cured, strict=True) for fact in facts)


@rule.on(NameRebound)
def check(event: NameRebound) -> Findings:
    if event.updates or not event.same.possibly(NO) or not tensors(event):
        return
    if any(holder.kind != "tuple" for holder in event.holders):
        draft = rule.at(event.node, name=event.name)
        yield draft.fix(Edit("replace", event.target, event.element), safety="unsafe") if event.element else draft


@rule.bad
def values_asked_to_require_grad():
    import torch

    tensors = {"scale": torch.ones(2), "shift": torch.zeros(2)}
    for value in tensors.values():
        value = value.clone().requires_grad_(True)  # GRD307
    return list(tensors.values())


@rule.good(cures=values_asked_to_require_grad)
def values_put_back():
    import torch

    tensors = {"scale": torch.ones(2), "shift": torch.zeros(2)}
    for name, value in tensors.items():
        tensors[name] = value.clone().requires_grad_(True)
    return list(tensors.values())


@rule.bad
def states_detached_by_name():
    import torch
    from torch import nn

    cell = nn.LSTM(2, 3)
    _, states = cell(torch.ones(4, 1, 2))
    states = list(states)
    for state in states:
        state = state.detach()  # GRD307
    return states


@rule.good(cures=states_detached_by_name)
def states_detached_in_a_new_list():
    import torch
    from torch import nn

    cell = nn.LSTM(2, 3)
    _, states = cell(torch.ones(4, 1, 2))
    states = [state.detach() for state in states]
    return states
