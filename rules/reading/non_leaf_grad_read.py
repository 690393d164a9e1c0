"""The `.grad` of a tensor that is not a leaf stays None unless it was told to retain it.

## Why it happens

Backward accumulates gradients in leaves: tensors that no recorded operation made. Gradients of
everything between the leaves and the loss are passed on and dropped, to save memory. A tensor
computed from others keeps its own gradient only after `retain_grad()`. Where a leaf was meant and lost
on the way, as in `torch.randn(3, requires_grad=True) * 0.1`, another rule (`moved-leaf`) says so.

## What it costs

The read gives None, with a warning that torch shows once per process. What follows fails far from
the cause (`None` has no `norm`), or silently logs nothing.

## When it is right to ignore it

Where None is what you want to see. Comparing `.grad` with None or testing its truth is not reported.
"""

from __future__ import annotations

from gradlint.domain import NO, NONE, YES
from gradlint.events import GradientRead
from gradlint.rule import Edit, Findings, Rule, Warns, quoted

rule = Rule(
    "GRD201",
    "non-leaf-grad-read",
    "{gradient} is `None`{when}: {name} is not a leaf",
    help="call `retain_grad()` on {name} before `backward()`, or read the gradient of the leaf",
    effect="wrong result",
    yields_to=("GRD120", "GRD122", "GRD124", "GRD308"),
    tokens=("grad",),
)
consequence = Warns("that is not a leaf Tensor is being accessed")


@rule.on(GradientRead)
def check(event: GradientRead) -> Findings:
    tensor = event.tensor
    if event.guard or not (tensor.leaf <= NO and tensor.retains <= NO and tensor.requires_grad <= YES):
        return
    if tensor.grad <= NONE:
        draft = rule.at(
            event.node,
            gradient=quoted(event.name and f"{event.name}.grad", "the `.grad`"),
            when=" after `backward()`" if event.reached <= YES else "",
            name=quoted(event.name, "the tensor"),
        )
        if event.bound is not None:
            draft = draft.fix(Edit("insert after", event.bound, f"{event.name}.retain_grad()"), safety="unsafe")
        yield draft.marked(
            tensor.causes,
            made="computed here from a tensor that requires grad, so it is not a leaf",
            asked="asked to require grad here",
            backward="`backward()` runs here",
        )


@rule.bad
def gradient_of_a_product():
    import torch

    weight = torch.ones(3, requires_grad=True)
    scaled = weight * 2
    scaled.sum().backward()
    return scaled.grad  # GRD201


@rule.good(cures=gradient_of_a_product)
def gradient_of_a_product_retained():
    import torch

    weight = torch.ones(3, requires_grad=True)
    scaled = weight * 2
    scaled.retain_grad()
    scaled.sum().backward()
    return scaled.grad


@rule.bad
def gradient_of_hidden_features():
    import torch
    from torch import nn

    encoder, head = nn.Linear(4, 3), nn.Linear(3, 1)
    features = encoder(torch.ones(2, 4))
    loss = head(features).sum()
    loss.backward()
    return features.grad  # GRD201


@rule.good(cures=gradient_of_hidden_features)
def gradient_of_hidden_features_retained():
    import torch
    from torch import nn

    encoder, head = nn.Linear(4, 3), nn.Linear(3, 1)
    features = encoder(torch.ones(2, 4))
    features.retain_grad()
    loss = head(features).sum()
    loss.backward()
    return features.grad
