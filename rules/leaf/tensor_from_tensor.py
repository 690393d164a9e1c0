"""`torch.tensor(x)` cuts a tensor that requires grad off its graph.

## Why it happens

`torch.tensor()` is for data: numbers, lists, arrays. Given a tensor it reads the numbers out of it and
makes a new leaf, exactly as from a list. No operation is recorded, so no gradient finds its way back,
whether or not `requires_grad=True` is passed: that asks for the gradient of the copy.

## What it costs

Whatever the tensor was computed from is left without a gradient from here on. torch warns and recommends
`detach().clone()`, which says what is done.

## When it is right to ignore it

Where a copy without history is wanted. `x.detach().clone()` makes the same one, says so, and does not
warn; a call under `torch.no_grad()` is not reported.
"""

from __future__ import annotations

from gradlint.domain import NO, YES, Constant, Tensor
from gradlint.events import Called
from gradlint.rule import Edit, Findings, Rule, Warns

rule = Rule(
    "GRD123",
    "tensor-from-tensor",
    "`{call}()` copies the values of a tensor that requires grad and cuts the graph",
    help="use the tensor itself, or `.detach().clone()` for a copy",
    effect="wrong result",
    tokens=("tensor",),
)
consequence = Warns("To copy construct from a tensor")

CURES = {
    True: "use the tensor itself, or `.detach().clone().requires_grad_()` for a new leaf",
    False: "use the tensor itself, or `.detach().clone()` for a copy",
}


@rule.on(Called, "torch.tensor")
def check(event: Called) -> Findings:
    keywords = dict(event.keywords)
    source = event.args[0] if event.args else keywords.get("data")
    if not isinstance(source, Tensor) or not source.requires_grad <= YES or not event.grad_mode <= YES:
        return
    asks = keywords.get("requires_grad") == Constant(True)
    draft = rule.at(event.node, call=event.name or "torch.tensor").advising(CURES[asks])
    if event.name.endswith(".tensor") and len(event.args) == 1 and keywords.keys() <= {"requires_grad"}:
        clone = Edit("rename", event.node, "clone")
        detach = Edit("wrap", event.node, after=".detach().requires_grad_()" if asks else ".detach()")
        is_loss = asks and source.scalar.possibly(YES) and source.leaf.possibly(NO)  # and stays cut, which is no cure
        safety = "unsafe" if is_loss else "safe"
        draft = draft.fix(clone, Edit("drop keyword", event.node, "requires_grad"), detach, safety=safety)
    yield draft.marked(source.causes, made="made here, in the graph", asked="asked to require grad here")


@rule.bad
def scaled_weight_wrapped():
    import torch

    weight = torch.ones(3, requires_grad=True)
    scaled = torch.tensor(weight * 2, requires_grad=True)  # GRD123
    scaled.sum().backward()
    return weight.grad


@rule.good(cures=scaled_weight_wrapped)
def scaled_weight_used():
    import torch

    weight = torch.ones(3, requires_grad=True)
    scaled = weight * 2
    scaled.sum().backward()
    return weight.grad


@rule.bad
def loss_made_a_tensor_again():
    import torch
    from torch import nn

    model = nn.Linear(4, 1)
    loss = model(torch.ones(2, 4)).pow(2).mean()
    history = [torch.tensor(loss)]  # GRD123
    loss.backward()
    return history


@rule.good(cures=loss_made_a_tensor_again)
def loss_detached_for_the_record():
    import torch
    from torch import nn

    model = nn.Linear(4, 1)
    loss = model(torch.ones(2, 4)).pow(2).mean()
    history = [loss.detach().clone()]
    loss.backward()
    return history
