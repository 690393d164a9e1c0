"""`retain_grad()` raises on a tensor that does not require grad.

## Why it happens

`retain_grad()` asks backward to keep the gradient of one tensor on its way through the graph. A
tensor that does not require grad is in no graph: input data, the result of `detach()`, of an
operation under `no_grad()`, or of one whose operands need no gradient. There is nothing to retain,
and torch says so at once.

## What it costs

The line raises `RuntimeError` whenever it is reached.

## When it is right to ignore it

In a test that expects the error. A call behind `if x.requires_grad:` is not reported.
"""

from __future__ import annotations

from gradlint.domain import NO, Tensor
from gradlint.events import Called
from gradlint.rule import Findings, Raises, Rule, quoted

rule = Rule(
    "GRD205",
    "retain-grad-without-requires-grad",
    "{name} does not require grad, so `retain_grad()` raises",
    help="make it require grad first, or compute it from a tensor that does, with gradients enabled",
    tokens=("retain_grad",),
)
consequence = Raises(RuntimeError, "can't retain_grad on Tensor that has requires_grad=False")


@rule.on(Called, "torch.Tensor.retain_grad")
def check(event: Called) -> Findings:
    if not event.args or not isinstance(tensor := event.args[0], Tensor):
        return
    if tensor.requires_grad <= NO:
        draft = rule.at(event.node, name=quoted(event.name, "the tensor"))
        yield draft.marked(tensor.causes, made="made here, without asking for gradients", cut="the graph is cut here")


@rule.bad
def retained_on_input_data():
    import torch

    inputs = torch.ones(2, 3)
    inputs.retain_grad()  # GRD205
    return inputs


@rule.good(cures=retained_on_input_data)
def input_data_asked_for_gradients():
    import torch

    inputs = torch.ones(2, 3)
    inputs.requires_grad_()
    return inputs


@rule.bad
def retained_after_detach():
    import torch
    from torch import nn

    layer = nn.Linear(3, 3)
    features = layer(torch.ones(2, 3)).detach()
    features.retain_grad()  # GRD205
    return features


@rule.good(cures=retained_after_detach)
def retained_in_the_graph():
    import torch
    from torch import nn

    layer = nn.Linear(3, 3)
    features = layer(torch.ones(2, 3))
    features.retain_grad()
    return features


@rule.bad
def retained_on_a_result_without_graph():
    import torch

    weight = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        scaled = weight * 2
    scaled.retain_grad()  # GRD205
    return scaled


@rule.good(cures=retained_on_a_result_without_graph)
def retained_on_a_recorded_result():
    import torch

    weight = torch.ones(3, requires_grad=True)
    scaled = weight * 2
    scaled.retain_grad()
    return scaled
