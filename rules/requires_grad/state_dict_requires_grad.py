"""Entries of a state dict carry flags of their own: setting one leaves the parameter as it was.

## Why it happens

`state_dict()` is made for saving. For every parameter it gives a new handle, detached from the graph, that
shares the numbers but not the flag: `requires_grad` of an entry is False from the start, whatever the
parameter says, and setting it says nothing to the module. Only `state_dict(keep_vars=True)`,
`parameters()` and `named_parameters()` give the parameters themselves.

## What it costs

Layers that were to be frozen go on training, or frozen ones stay frozen. Nothing warns. Loading the entries
back does not help either: `load_state_dict()` copies numbers, not flags.

## When it is right to ignore it

Where the entries are used as tensors in their own right, to differentiate by a copy of the weights. That is
why asking them to require grad is believed least; to ask an entry not to is without effect in any case.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, CauseKind
from gradlint.events import RequiresGradChanged
from gradlint.rule import POSSIBLE, Edit, Findings, Rule, quoted

rule = Rule(
    "GRD108",
    "state-dict-requires-grad",
    "{name} is an entry of a state dict: setting its flag does not change the parameter",
    help="set the flag of the parameter itself: loop over `named_parameters()`",
    effect="no effect",
    tokens=("state_dict",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The parameters have other flags than where they were asked themselves."""
    return [p.requires_grad for p in returned.parameters()] != [p.requires_grad for p in cured.parameters()]


@rule.on(RequiresGradChanged)
def check(event: RequiresGradChanged) -> Findings:
    if event.tensor.made != "state_dict" or not event.tensor.requires_grad <= NO:
        return
    if not (event.to <= NO or event.to <= YES):
        return
    draft = rule.at(event.node, name=quoted(event.name, "the tensor"))
    made = [mark.node for mark in event.tensor.causes if mark.kind == CauseKind.MADE]
    if made:
        draft = draft.note(made[0], "the state dict is made here")
        draft = draft.fix(Edit("set keyword", made[0], "keep_vars", "True"), safety="unsafe")
    yield draft if event.to <= NO else draft.lowered(POSSIBLE, "a leaf that shares the memory may be meant")


@rule.bad
def backbone_frozen_through_its_state_dict():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    for _, weight in model.state_dict().items():
        weight.requires_grad = False  # GRD108
    return model


@rule.good(cures=backbone_frozen_through_its_state_dict)
def backbone_frozen_through_its_parameters():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    for _, weight in model.named_parameters():
        weight.requires_grad = False
    return model


@rule.bad
def embedding_frozen_by_key():
    from torch import nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(100, 8)
            self.head = nn.Linear(8, 5)

        def forward(self, tokens):
            return self.head(self.embedding(tokens))

    tagger = Tagger()
    weights = tagger.state_dict()
    weights["embedding.weight"].requires_grad_(False)  # GRD108
    tagger.load_state_dict(weights)
    return tagger


@rule.good(cures=embedding_frozen_by_key)
def embedding_frozen_by_attribute():
    from torch import nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(100, 8)
            self.head = nn.Linear(8, 5)

        def forward(self, tokens):
            return self.head(self.embedding(tokens))

    tagger = Tagger()
    weights = tagger.state_dict()
    tagger.embedding.weight.requires_grad_(False)
    tagger.load_state_dict(weights)
    return tagger
