"""A misspelled `requires_grad` sets a new attribute that autograd never looks at.

## Why it happens

Tensors, parameters and modules are Python objects and accept any attribute. The flag that autograd
reads is `requires_grad`, third person, with an underscore; `require_grad`, `requires_grads` or
`required_grad` are stored beside it and nobody ever asks for them. As a keyword or a method the same
slip raises; as an assignment it is silent.

## What it costs

The parameters that were to be frozen go on training, or the input whose gradient was wanted has
none. Nothing warns.

## When it is right to ignore it

Only where other code of yours reads the odd name off the tensor. An attribute that the owner's own
class defines or reads is never reported; neither is the same name on anything that is not a tensor,
a parameter or a module.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import Module, Tensor
from gradlint.events import AttributeAssigned
from gradlint.rule import Edit, Findings, Rule

from ._calling import called_instead

TYPOS = (
    "require_grad",
    "require_grads",
    "require_gradient",
    "require_gradients",
    "require_gard",
    "required_grad",
    "required_grads",
    "requiers_grad",
    "requieres_grad",
    "requires_gard",
    "requires_grads",
    "requires_gradient",
    "requires_gradients",
    "requires_grd",
    "requiresgrad",
    "requires_Grad",
    "requre_grad",
    "requres_grad",
    "reqires_grad",
    "requiresGrad",
    "requireGrad",
)
"""Seen in programs, or one slip away from what was; a distance between spellings would catch other words."""

rule = Rule(
    "GRD103",
    "misspelled-requires-grad",
    "`{place}` is a new attribute that autograd ignores",
    help="assign to `.requires_grad`, or call `.requires_grad_(...)` on a module",
    effect="no effect",
    tokens=TYPOS,
)


def consequence(returned: Any) -> bool:
    """The tensors still have the flag that they were made with."""
    tensors = list(returned.parameters()) if hasattr(returned, "parameters") else [returned]
    return all(tensor.requires_grad == hasattr(returned, "parameters") for tensor in tensors)


@rule.on(AttributeAssigned, *TYPOS)
def check(event: AttributeAssigned) -> Findings:
    place = f"{event.name}.{event.attr}" if event.name else f".{event.attr}"
    if isinstance(event.owner, Tensor):
        draft = rule.at(event.node, place=place).advising("assign to `.requires_grad`")
        yield draft.fix(Edit("rename", event.node, "requires_grad"), safety="safe")
    if isinstance(event.owner, Module) and not event.own and not event.read_by_class:
        draft = rule.at(event.node, place=place).advising("call `.requires_grad_(...)` on the module")
        yield called_instead(draft, event, "requires_grad_")


@rule.bad
def backbone_frozen_in_a_loop():
    from torch import nn

    backbone = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    for param in backbone.parameters():
        param.require_grad = False  # GRD103
    return backbone


@rule.good(cures=backbone_frozen_in_a_loop)
def backbone_frozen_with_the_right_name():
    from torch import nn

    backbone = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    for param in backbone.parameters():
        param.requires_grad = False
    return backbone


@rule.bad
def image_asked_for_a_gradient():
    import torch

    image = torch.rand(1, 3, 8, 8)
    image.requires_gradient = True  # GRD103
    return image


@rule.good(cures=image_asked_for_a_gradient)
def image_asked_with_the_right_name():
    import torch

    image = torch.rand(1, 3, 8, 8)
    image.requires_grad = True
    return image


@rule.bad
def classifier_frozen_as_a_whole():
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Linear(8, 4)

        def forward(self, x):
            return self.encoder(x)

    model = Classifier()
    model.encoder.requires_grads = False  # GRD103
    return model


@rule.good(cures=classifier_frozen_as_a_whole)
def classifier_frozen_by_method():
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Linear(8, 4)

        def forward(self, x):
            return self.encoder(x)

    model = Classifier()
    model.encoder.requires_grad_(False)
    return model
