"""A layer that nothing calls is never trained.

## Why it happens

A layer is made in `__init__` and called in `forward`, by two lists of names that nothing compares. A block that
was copied keeps the name of the one before (`x = self.block2(x)`, twice), a second head is fed through the
first, or the lines that called a layer were taken out and it was left.

## What it costs

Its parameters get no gradient: what the layer was written for is not learned, while another one is passed
twice. They are counted, saved and moved all the same.

## When it is right to ignore it

Where it is there for weights that were saved with it, as the head of a network of which only the features are
used; a layer whose name says that it is such a head is therefore believed least. One that the class, what derives
from it, or any file that imports it mentions in another way is never reported, nor are those of a class that goes over
its parts (`children()`, `getattr(self, name)`), or of a file of tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from gradlint.domain import Memory, Module, Syntax, made_at, memories
from gradlint.events import AttributeAssigned, ModuleBuilt, ModuleFinished
from gradlint.rule import LIKELY, POSSIBLE, Draft, Findings, Rule, quoted, words

rule = Rule(
    "GRD810",
    "unused-layer",
    "{names} made and never used: nothing trains the parameters",
    help="use it in `forward`, or remove it",
    effect="no effect",
    tokens=("Module",),
)

HEADS = frozenset("aux cls classifier fc head heads last linear logit logits out output proj projection top".split())
"""Words of the layers that stand at the end of a network, and are kept where only its features are used."""
MOST_NAMED = 2


def consequence(returned: Any, cured: Any) -> bool:
    """A parameter has no gradient where the cure gives it one."""
    return returned.grad is None and cured.grad is not None


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    """Report the unused layers of each class together; a test makes some to look at what becomes of them."""
    if end.tests:
        return
    known: dict[Syntax, set[Memory]] = {}
    for built in (one for one in end.story if isinstance(one, ModuleBuilt)):
        for at in made_at(built.module):
            known.setdefault(at, set()).update(memories(built.parameters))
    layers: dict[Any, dict[str, AttributeAssigned]] = {}
    used: dict[Any, set[Memory]] = {}
    for event in (one for one in end.story if isinstance(one, AttributeAssigned) and one.own):
        if not isinstance(event.owner, Module):
            continue
        mine, theirs = layers.setdefault(event.owner.cls, {}), _parameters(event, known)
        if event.unread and theirs:
            mine.setdefault(event.attr, event)
        else:
            mine.pop(event.attr, None)
            used.setdefault(event.owner.cls, set()).update(theirs)
    for cls, every in layers.items():
        others = used.get(cls, set())
        unused = [one for one in every.values() if others.isdisjoint(_parameters(one, known))]  # else a list of others
        heads = [one for one in unused if words(one.attr) & HEADS]
        yield from (_draft(found) for found in ([one for one in unused if one not in heads], heads) if found)


def _parameters(event: AttributeAssigned, known: Mapping[Syntax, Set[Memory]]) -> frozenset[Memory]:
    """Return the parameters of the module that an attribute is set to."""
    made = made_at(event.value) if isinstance(event.value, Module) else ()
    return frozenset(one for at in made for one in known.get(at, ()))


def _draft(found: Sequence[AttributeAssigned]) -> Draft:
    """The finding at the first of these layers."""
    names = [quoted(one.attr, "the layer") for one in found[:MOST_NAMED]]
    if len(found) > MOST_NAMED:
        names.append(f"{len(found) - MOST_NAMED} more")
    told = f"{' and '.join([', '.join(names[:-1]), names[-1]])} are" if len(names) > 1 else f"{names[0]} is"
    draft = rule.at(found[0].node, names=told)
    for one in found[1:]:
        draft = draft.note(one.node, "made here and never used as well")
    draft = draft.resting_on(*found).lowered(LIKELY, "code that is not shown may use it")
    if words(found[0].attr) & HEADS:
        return draft.lowered(POSSIBLE, "the head may be kept for weights that were saved with it")
    return draft


@rule.bad
def block_called_twice():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 2)
            self.second = nn.Linear(2, 2)  # GRD810

        def forward(self, x):
            return self.first(self.first(x).relu())

    net = Net()
    net(torch.ones(1, 2)).sum().backward()
    return net.get_parameter("second.bias")


@rule.good(cures=block_called_twice)
def each_block_called():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 2)
            self.second = nn.Linear(2, 2)

        def forward(self, x):
            return self.second(self.first(x).relu())

    net = Net()
    net(torch.ones(1, 2)).sum().backward()
    return net.get_parameter("second.bias")
