"""`volatile` has had no effect since torch 0.4: gradients are recorded all the same.

## Why it happens

Before 0.4 a `Variable` marked `volatile=True` told everything computed from it not to record a graph. The grad
mode has taken its place, a switch for a stretch of the program instead of a mark on a tensor. The keyword of
`Variable` and the attribute of tensors are still accepted, warn and do nothing; together with
`requires_grad=True` the keyword raises `ValueError`. No factory knows the keyword: `torch.ones(2,
volatile=True)` raises `TypeError`.

## What it costs

An evaluation that relies on it records a graph for every batch and keeps the activations as long as the results
live.

## When it is right to ignore it

In code that still has to run on torch 0.3. An attribute of that name on anything that is not a tensor is never
reported, and neither is a value that may be False.
"""

from __future__ import annotations

from gradlint.domain import Constant, Tensor
from gradlint.events import AttributeAssigned, Called, Thing
from gradlint.rule import Draft, Edit, Findings, Raises, Rule, Warns

rule = Rule(
    "GRD115",
    "volatile-flag",
    "`volatile` has no effect since torch 0.4: the graph is recorded",
    help="leave the flag out, and run the forward pass under `with torch.no_grad():`",
    effect="no effect",
    tokens=("volatile",),
)
consequence = Warns("volatile was removed and now has no effect")
BOTH = Raises(ValueError, "Variable can't be volatile and require_grad at the same time")

FLAG_OF_VARIABLE = 2
"""Its place among the arguments of `Variable`."""


@rule.on(Called, "torch.autograd.Variable")
def check_argument(event: Called) -> Findings:
    named = dict(event.keywords).get("volatile")
    placed = event.args[FLAG_OF_VARIABLE:]
    if named is not None and _switches_on(named):
        yield _of_variable(event).fix(Edit("drop keyword", event.node, "volatile"), safety="unsafe")
    elif placed and _switches_on(placed[0]):
        yield _of_variable(event)


def _of_variable(event: Called) -> Draft:
    """torch refuses the flag next to a request for gradients."""
    asks = dict(event.keywords).get("requires_grad") or next(iter(event.args[1:FLAG_OF_VARIABLE]), None)
    draft = rule.at(event.node).of_text()
    return draft.doing("error") if asks is not None and _switches_on(asks) else draft


@rule.on(AttributeAssigned, "volatile")
def check_attribute(event: AttributeAssigned) -> Findings:
    if isinstance(event.owner, Tensor) and _switches_on(event.value):
        yield rule.at(event.node)


def _switches_on(value: Thing) -> bool:
    """Return whether it is meant to have an effect: False would have had none either."""
    return isinstance(value, Constant) and bool(value.value)


@rule.bad
def batches_of_an_evaluation():
    import torch
    from torch import nn
    from torch.autograd import Variable

    model = nn.Linear(4, 2)
    batch = Variable(torch.ones(8, 4), volatile=True)  # GRD115
    scores = model(batch)
    return scores


@rule.good(cures=batches_of_an_evaluation)
def batches_under_no_grad():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    batch = torch.ones(8, 4)
    with torch.no_grad():
        scores = model(batch)
    return scores


@rule.bad
def input_marked_by_hand():
    import torch

    image = torch.rand(1, 3, 8, 8)
    image.volatile = True  # GRD115
    return image.mean()


@rule.good(cures=input_marked_by_hand)
def input_used_under_no_grad():
    import torch

    image = torch.rand(1, 3, 8, 8)
    with torch.no_grad():
        return image.mean()


@rule.bad(shows=BOTH)
def input_that_is_both():
    import torch
    from torch.autograd import Variable

    noise = Variable(torch.randn(2, 8), requires_grad=True, volatile=True)  # GRD115
    return noise


@rule.good(cures=input_that_is_both)
def input_that_requires_grad():
    import torch

    noise = torch.randn(2, 8, requires_grad=True)
    return noise
