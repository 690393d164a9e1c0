"""Layers and parameters kept in a plain list or dict are not part of the module.

## Why it happens

A module registers what is assigned to its attributes: a parameter, a buffer or another module is
entered in its tables when `self.name = ...` runs. A Python list, tuple or dict is none of these, so
it is stored as it is, and nobody looks inside. `nn.ModuleList`, `nn.ModuleDict`, `nn.ParameterList`
and `nn.ParameterDict` are modules themselves and register what they are given.

## What it costs

The forward pass works and backward fills the gradients, but `parameters()` does not have them: the
optimizer never updates these weights. They are not in `state_dict()`, do not move with `.to(device)`
or `.half()`, and `eval()`, `zero_grad()` and freezing pass them by. If nothing else was registered the optimizer
raises `optimizer got an empty parameter list`.

## When it is right to ignore it

A list is the usual way to hold a module that must not be registered: a teacher, a perceptual network, a
back reference to the parent. What was handed over by somebody who has it still, what another file with
optimizers reads, and a list of one element, are reported only on request. Parts that are registered
as well, in whatever way, modules without parameters and frozen ones are never reported, nor what an
optimizer in the file was given by hand.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NOTHING, Belief, Module
from gradlint.events import AttributeAssigned, ModuleFinished, Unregistered
from gradlint.rule import CERTAIN, LIKELY, POSSIBLE, Confidence, Draft, Edit, Findings, Rule

from ._registration import made_at, unregistered

rule = Rule(
    "GRD801",
    "unregistered-submodules",
    "`self.{attr}` is a plain {kind}, so the {parts} in it are not registered",
    help="use `nn.{cure}`, which registers them",
    effect="wrong result",
    tokens=("Module",),
)

MAPPINGS = ("dict", "OrderedDict", "defaultdict")


def consequence(returned: Any) -> bool:
    """The module knows of no parameters."""
    return not list(returned.parameters()) and not returned.state_dict()


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    for built, held, place in unregistered(event):
        if held.inside:
            yield (
                _draft(held, place)
                .resting_on(built)
                .lowered(_confidence(held), "others may see to what they have as well")
            )


def _draft(held: Unregistered, place: AttributeAssigned) -> Draft:
    outer = held.inside[0]
    whole, parts = ("Module", "modules") if isinstance(held.thing, Module) else ("Parameter", "parameters")
    cure = whole + ("Dict" if outer.kind in MAPPINGS else "List")
    draft = rule.at(place.node, attr=held.attr, kind=outer.kind, parts=parts, cure=cure)
    for where in made_at(held.thing):
        draft = draft.note(where, "made here")
    if len(held.inside) == 1 and held.alike and outer.kind == "list" and place.given is not None:
        wrapped = Edit("wrap", place.given, f"torch.nn.{cure}(", ")")
        return draft.fix(wrapped, safety="unsafe", imports=("torch",))
    return draft


def _confidence(held: Unregistered) -> Confidence:
    """Return the confidence: what others have as well, and what lies alone in a list, may be hidden on purpose."""
    inner = held.inside[-1]
    alone = inner.kind not in MAPPINGS and len(inner.items) == 1 and inner.rest == NOTHING
    if held.handed or held.read_elsewhere or alone:
        return POSSIBLE
    return CERTAIN if held.thing.belief <= Belief.ANNOTATED else LIKELY


@rule.bad
def layers_in_a_list():
    import torch
    from torch import nn

    class Mlp(nn.Module):
        def __init__(self, width, depth):
            super().__init__()
            self.layers = [nn.Linear(width, width) for _ in range(depth)]  # GRD801

        def forward(self, x):
            for layer in self.layers:
                x = torch.relu(layer(x))
            return x

    return Mlp(4, 3)


@rule.good(cures=layers_in_a_list)
def layers_in_a_module_list():
    import torch
    from torch import nn

    class Mlp(nn.Module):
        def __init__(self, width, depth):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])

        def forward(self, x):
            for layer in self.layers:
                x = torch.relu(layer(x))
            return x

    return Mlp(4, 3)


@rule.bad
def blocks_appended_one_by_one():
    from torch import nn

    class Tower(nn.Module):
        def __init__(self, width, depth):
            super().__init__()
            self.blocks = []  # GRD801
            for _ in range(depth):
                self.blocks.append(nn.Sequential(nn.Linear(width, width), nn.ReLU()))

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return x

    return Tower(4, 3)


@rule.good(cures=blocks_appended_one_by_one)
def blocks_appended_to_a_module_list():
    from torch import nn

    class Tower(nn.Module):
        def __init__(self, width, depth):
            super().__init__()
            self.blocks = nn.ModuleList()
            for _ in range(depth):
                self.blocks.append(nn.Sequential(nn.Linear(width, width), nn.ReLU()))

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return x

    return Tower(4, 3)


@rule.bad
def parameters_by_name():
    import torch
    from torch import nn

    class Styles(nn.Module):
        def __init__(self):
            super().__init__()
            self.codes = {"day": nn.Parameter(torch.zeros(4)), "night": nn.Parameter(torch.ones(4))}  # GRD801

        def forward(self, x, style):
            return x + self.codes[style]

    return Styles()


@rule.good(cures=parameters_by_name)
def parameters_in_a_parameter_dict():
    import torch
    from torch import nn

    class Styles(nn.Module):
        def __init__(self):
            super().__init__()
            self.codes = nn.ParameterDict({"day": nn.Parameter(torch.zeros(4)), "night": nn.Parameter(torch.ones(4))})

        def forward(self, x, style):
            return x + self.codes[style]

    return Styles()
