"""`requires_grad` is a flag and cannot be called; the method has an underscore behind it.

## Why it happens

A tensor carries `requires_grad`, which is True or False, and `requires_grad_()`, which sets it in place: the
underscore says so, as in `zero_()`. Called like a method the flag is a boolean that stands before
parentheses. A module has the method only, and no attribute of the other name at all.

## What it costs

The line raises `TypeError`, on a module `AttributeError`, whenever it is reached.

## When it is right to ignore it

Never on a tensor or a module. A function that is called so (`requires_grad(model, False)`) and a class that
defines a method of that name are not meant and not reported.
"""

from __future__ import annotations

from gradlint.domain import YES, Module
from gradlint.events import Called
from gradlint.rule import Edit, Findings, Raises, Rule, quoted

rule = Rule(
    "GRD105",
    "requires-grad-called",
    "`requires_grad` of {name} {what}",
    help="call `{call}requires_grad_(...)`, which {does}",
    tokens=("requires_grad",),
)
consequence = Raises(TypeError, "'bool' object is not callable")
NO_SUCH_ATTRIBUTE = Raises(AttributeError, "object has no attribute 'requires_grad'")


@rule.on(Called, "requires_grad")
def check(event: Called) -> Findings:
    if not event.missing <= YES:
        return
    module = isinstance(event.args[0], Module)
    draft = rule.at(
        event.node,
        name=quoted(event.name, "the module" if module else "the tensor"),
        what="does not exist: modules have no such flag" if module else "is a flag and cannot be called",
        call=f"{event.name}." if event.name else ".",
        does="sets the flag of every parameter in it" if module else "sets the flag in place",
    )
    yield draft.fix(Edit("rename", event.node, "requires_grad_"), safety="safe")


@rule.bad
def input_asked_for_its_gradient():
    import torch

    image = torch.rand(1, 3, 8, 8)
    image.requires_grad(True)  # GRD105
    return image


@rule.good(cures=input_asked_for_its_gradient)
def input_asked_with_an_underscore():
    import torch

    image = torch.rand(1, 3, 8, 8)
    image.requires_grad_(True)
    return image


@rule.bad
def backbone_frozen_parameter_by_parameter():
    from torch import nn

    backbone = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    for param in backbone.parameters():
        param.requires_grad(False)  # GRD105
    return backbone


@rule.good(cures=backbone_frozen_parameter_by_parameter)
def backbone_frozen_by_the_method():
    from torch import nn

    backbone = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    for param in backbone.parameters():
        param.requires_grad_(False)
    return backbone


@rule.bad(shows=NO_SUCH_ATTRIBUTE)
def embedding_frozen_as_a_whole():
    from torch import nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(100, 8)
            self.head = nn.Linear(8, 5)

        def freeze(self):
            self.embedding.requires_grad(False)  # GRD105

        def forward(self, tokens):
            return self.head(self.embedding(tokens))

    tagger = Tagger()
    tagger.freeze()
    return tagger


@rule.good(cures=embedding_frozen_as_a_whole)
def embedding_frozen_with_an_underscore():
    from torch import nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(100, 8)
            self.head = nn.Linear(8, 5)

        def freeze(self):
            self.embedding.requires_grad_(False)

        def forward(self, tokens):
            return self.head(self.embedding(tokens))

    tagger = Tagger()
    tagger.freeze()
    return tagger
