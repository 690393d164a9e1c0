"""A leaf kept in a dict cannot be updated in place while gradients are on.

## Why it happens

Keeping weights in a dict (`params["w"]`) changes nothing about them: they are leaves that require
grad, and a leaf cannot be the result of an operation in place. The dict makes the mistake easy,
because `params[k] -= lr * params[k].grad` looks like storing a new value under a key; Python first
asks the tensor itself to subtract in place, and only then stores the result.

## What it costs

The line raises `RuntimeError` whenever it is reached with gradients on.

## When it is right to ignore it

In a function that is only ever called with gradients off by callers in other files. Findings in
functions that are handed their tensors and whose callers are not seen are believed least and not
shown by default. Writing the difference out, `params[k] = params[k] - ...`, does not raise but stores
a tensor that is no leaf, which is seldom what was meant.
"""

from __future__ import annotations

from gradlint.domain import MAPPINGS
from gradlint.events import WrittenInPlace
from gradlint.rule import Findings, Raises, Rule

from ._writing import is_leaf_that_requires_grad, is_watched, refused

rule = Rule(
    "GRD303",
    "in-place-on-dict-held-tensor",
    "in-place operation on {name}, a leaf in a dict that requires grad",
    help="wrap the update in `with torch.no_grad():`",
)
consequence = Raises(RuntimeError, "leaf Variable that requires grad is being used in an in-place operation")


@rule.on(WrittenInPlace)
def check(event: WrittenInPlace) -> Findings:
    leaf = event.target if event.base is None else event.base
    holder = next((held for held in event.holders if held.kind in MAPPINGS), None)
    if holder and is_watched(event) and is_leaf_that_requires_grad(leaf):
        draft = refused(rule, event).marked(leaf.causes, asked="asked to require grad here")
        yield draft.marked(holder.causes, made="the dict is made here")


@rule.bad
def weights_in_an_ordered_dict():
    from collections import OrderedDict

    import torch

    params = OrderedDict(w=torch.ones(3, requires_grad=True))
    loss = (params["w"] ** 2).sum()
    loss.backward()
    params["w"] -= 0.1 * params["w"].grad  # GRD303
    return params["w"]


@rule.good(cures=weights_in_an_ordered_dict)
def weights_in_an_ordered_dict_without_recording():
    from collections import OrderedDict

    import torch

    params = OrderedDict(w=torch.ones(3, requires_grad=True))
    loss = (params["w"] ** 2).sum()
    loss.backward()
    with torch.no_grad():
        params["w"] -= 0.1 * params["w"].grad
    return params["w"]


@rule.bad
def every_weight_of_a_dict():
    import torch

    params = {"w": torch.randn(4, 2, requires_grad=True), "b": torch.zeros(2, requires_grad=True)}
    prediction = torch.ones(8, 4) @ params["w"] + params["b"]
    prediction.pow(2).mean().backward()
    for value in params.values():
        value.sub_(0.1 * value.grad)  # GRD303
    return params["w"]


@rule.good(cures=every_weight_of_a_dict)
def every_weight_of_a_dict_without_recording():
    import torch

    params = {"w": torch.randn(4, 2, requires_grad=True), "b": torch.zeros(2, requires_grad=True)}
    prediction = torch.ones(8, 4) @ params["w"] + params["b"]
    prediction.pow(2).mean().backward()
    with torch.no_grad():
        for value in params.values():
            value.sub_(0.1 * value.grad)
    return params["w"]


@rule.bad
def features_collected_in_a_dict():
    import torch
    from torch import nn

    encoder, collected = nn.Linear(3, 2), {}
    collected["image"] = torch.zeros(4, 2, requires_grad=True)
    collected["image"][0] = encoder(torch.ones(3))  # GRD303
    collected["image"].sum().backward()
    return encoder


@rule.good(cures=features_collected_in_a_dict)
def features_collected_in_what_does_not_ask():
    import torch
    from torch import nn

    encoder, collected = nn.Linear(3, 2), {}
    collected["image"] = torch.zeros(4, 2)
    collected["image"][0] = encoder(torch.ones(3))
    collected["image"].sum().backward()
    return encoder
