"""Assigning `requires_grad` to a module leaves its parameters as they were.

## Why it happens

`requires_grad` is a property of tensors. A module has none: it owns parameters, and each of them
carries its own flag. The assignment therefore makes a plain Python attribute on the module, which
neither autograd nor `parameters()` ever reads. The method with an underscore, `requires_grad_()`, is
the one that a module does have, and it goes through all its parameters.

## What it costs

A layer that was to be frozen goes on training: its gradients are computed and the optimizer moves it.
Unfreezing in this way leaves the layer frozen. Nothing warns.

## When it is right to ignore it

Where the flag is your own and other code reads it off the module. If the module's class reads or
defines it, nothing is reported; a class that sets it on `self` without reading it is believed less.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import Module
from gradlint.events import AttributeAssigned, ModuleFinished
from gradlint.rule import LIKELY, POSSIBLE, Draft, Findings, Rule, quoted

from ._calling import called_instead, given

rule = Rule(
    "GRD104",
    "module-requires-grad-assigned",
    "{name} is a module: assigning `requires_grad` does not change its parameters",
    help="call `{call}({to})`, which sets the flag of every parameter in it",
    effect="no effect",
    tokens=("requires_grad",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The parameters have other flags than after the call that was meant."""
    return [p.requires_grad for p in returned.parameters()] != [p.requires_grad for p in cured.parameters()]


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    assigned = [event for event in end.story if type(event) is AttributeAssigned]
    hidden = any(event.attr == "requires_grad_" for event in assigned)
    for event in assigned:
        if event.attr == "requires_grad" and isinstance(event.owner, Module) and not event.read_by_class:
            yield _at(event, event.owner, hidden=hidden)


def _at(event: AttributeAssigned, owner: Module, *, hidden: bool) -> Draft:
    """The finding; no fix calls the method in a file that hides it, of the module or of its parameters."""
    draft = rule.at(
        event.node,
        name=quoted(event.name, "the object"),
        call=f"{event.name}.requires_grad_",
        to=given(event) or "...",
    ).resting_on(event)
    if event.own:
        draft = draft.lowered(LIKELY if given(event) else POSSIBLE, "its class may read the attribute")
    if not hidden:
        draft = called_instead(draft, event, "requires_grad_", "unsafe" if event.own else "safe")
    return draft.marked(owner.causes, made="the module is made here")


@rule.bad
def first_layer_frozen():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    model[0].requires_grad = False  # GRD104
    return model


@rule.good(cures=first_layer_frozen)
def first_layer_frozen_by_method():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    model[0].requires_grad_(False)
    return model


@rule.bad
def patch_embedding_frozen_by_a_method():
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch_embed = nn.Conv2d(3, 8, kernel_size=2, stride=2)
            self.head = nn.Linear(8, 2)

        def freeze_patch_embedding(self):
            self.patch_embed.requires_grad = False  # GRD104

        def forward(self, x):
            return self.head(self.patch_embed(x).mean((2, 3)))

    encoder = Encoder()
    encoder.freeze_patch_embedding()
    return encoder


@rule.good(cures=patch_embedding_frozen_by_a_method)
def patch_embedding_frozen_with_an_underscore():
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch_embed = nn.Conv2d(3, 8, kernel_size=2, stride=2)
            self.head = nn.Linear(8, 2)

        def freeze_patch_embedding(self):
            self.patch_embed.requires_grad_(False)

        def forward(self, x):
            return self.head(self.patch_embed(x).mean((2, 3)))

    encoder = Encoder()
    encoder.freeze_patch_embedding()
    return encoder


@rule.bad
def children_frozen_in_a_loop():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    for layer in model.children():
        layer.requires_grad = False  # GRD104
    return model


@rule.good(cures=children_frozen_in_a_loop)
def parameters_frozen_in_a_loop():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    for weight in model.parameters():
        weight.requires_grad = False
    return model
