"""`nn.Parameter(...)` followed by a move, a cast or a factor is not a parameter any more.

## Why it happens

A module registers what it is given as `nn.Parameter`. `.to(device)`, `.cuda()`, `.half()` or `* 0.1` behind it
are recorded operations and give a plain tensor, a result in the graph. The module keeps that as an
ordinary attribute; the parameter it came from is held by nobody. Where there is nothing to move or cast,
the parameter itself comes back, so the line works on a CPU and fails where there is a GPU.

## What it costs

The weight is missing from `parameters()` and from the `state_dict()`: no optimizer updates it, no
checkpoint holds it, and `model.to(...)` leaves it where it is. Nothing warns.

## When it is right to ignore it

Where the code will only ever run on the device on which the tensor is made.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from gradlint.domain import YES, Syntax
from gradlint.events import AttributeAssigned, LeafRequired, ModuleFinished
from gradlint.rule import LIKELY, Draft, Edit, Findings, Question, Rule, quoted

from ._wanting import is_no_leaf, is_none_elsewhere

rule = Rule(
    "GRD121",
    "moved-parameter",
    "{name} is a plain tensor{elsewhere}, not a parameter, so the module does not register it",
    help="apply `nn.Parameter(...)` last, to the moved, cast or scaled data",
    effect="wrong result",
    yields_to=("GRD805",),
    tokens=("Parameter",),
)


Attribute = tuple[str, object]
"""The name of an attribute, and the class of the modules it is set on."""


def consequence(returned: Any) -> bool:
    """The module has no parameters."""
    return not list(returned.parameters())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    set_at: dict[Syntax, Attribute] = {
        told.node: (told.attr, getattr(told.owner, "cls", None))
        for told in event.story
        if isinstance(told, AttributeAssigned)
    }
    times = Counter(set_at.values())
    for wanted in event.story:
        if not isinstance(wanted, LeafRequired) or wanted.use != "attribute":
            continue
        if wanted.source_leaf is None or not wanted.source_leaf.parameter <= YES:
            continue
        attribute = set_at.get(wanted.node)
        alone = attribute is not None and times[attribute] == 1
        if is_no_leaf(wanted):
            yield _draft(wanted, elsewhere="", alone=alone).resting_on(wanted)
        elif is_none_elsewhere(wanted):
            yield (
                _draft(wanted, elsewhere=" on other devices", alone=alone)
                .resting_on(wanted)
                .lowered(LIKELY, "only on other devices it is no leaf", Question.TORCH)
            )


def _draft(event: LeafRequired, elsewhere: str, alone: bool) -> Draft:
    """Draft a finding: where the attribute is set at one place alone, the cure is safe: once it is a parameter, torch
    refuses anything else under its name."""
    place = event.node if event.last_operation is None else event.last_operation
    draft = rule.at(place, name=quoted(event.name, "the attribute"), elsewhere=elsewhere)
    if place is event.node:
        return draft
    draft = draft.note(event.node, "set on the module here")
    around = Edit("wrap", place, "torch.nn.Parameter(", ")")
    return draft.fix(around, safety="safe", imports=("torch",)) if alone else draft


@rule.bad
def weight_moved_behind_its_parameter():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self, device):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3)).to(device)  # GRD121

        def forward(self, x):
            return x * self.weight

    return Scale(torch.device("meta"))


@rule.good(cures=weight_moved_behind_its_parameter)
def weight_moved_inside_its_parameter():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self, device):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3).to(device))

        def forward(self, x):
            return x * self.weight

    return Scale(torch.device("meta"))


@rule.bad
def parameter_scaled():
    import torch
    from torch import nn

    class Mixer(nn.Module):
        def __init__(self, features):
            super().__init__()
            self.mix = nn.Parameter(torch.randn(features, features)) * 0.02  # GRD121

    return Mixer(4)


@rule.good(cures=parameter_scaled)
def data_scaled():
    import torch
    from torch import nn

    class Mixer(nn.Module):
        def __init__(self, features):
            super().__init__()
            self.mix = nn.Parameter(torch.randn(features, features) * 0.02)

    return Mixer(4)
