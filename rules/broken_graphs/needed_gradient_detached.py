"""Parameters that an optimizer holds get no gradient because the forward left the graph behind them.

## Why it happens

An optimizer steps the parameters that have a gradient and skips those whose `.grad` is None. Where the output of a
network is detached, or was computed under `torch.no_grad()`, before the loss, backward ends there. That is
what the discriminator's step wants; in the generator's own loss, or between a backbone and its head, it
leaves the network untrained.

## What it costs

The parameters stay what they were, without a word. The rest of the model trains, so the loss still goes down.

## When it is right to ignore it

When a part is frozen this way on purpose. Hand the optimizer only what is to be trained, or ask the part by
`requires_grad_(False)`, and nothing is reported. Parameters that the forward does not use, and those
that get a gradient at any other step, are not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NONE, YES, Mark
from gradlint.events import BackwardRun, ModuleFinished, OptimizerStepped, Recorded
from gradlint.rule import LIKELY, Findings, Rule, believed

from ._cutting import DETACHED, MODE, kind_of, spelled
from ._parameters import Memory, memories

rule = Rule(
    "GRD618",
    "needed-gradient-detached",
    "{whose} never get a gradient: what is computed from them leaves the graph by {cut}",
    help="leave out the cut, or hand the optimizer only what is to be trained",
    effect="silently wrong",
    yields_to=("GRD112", "GRD411"),
    tokens=("step",),
)


def consequence(returned: Any) -> bool:
    """A parameter of the optimizer has no gradient."""
    return returned.grad is None


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    without = _never_with_gradient(end)
    used: set[Memory] = set()
    cuts: dict[int, list[Mark]] = {}
    found: set[Memory] = set()
    for event in end.story:
        if type(event) is Recorded:
            used |= memories(event.operands)
        elif type(event) is BackwardRun:
            marks = [mark for mark in event.root.marks if mark.how == "cut" and kind_of(mark) in (DETACHED, MODE)]
            cuts.setdefault(event.run, []).extend(marks if event.root.requires_grad <= YES else [])
        elif type(event) is OptimizerStepped and cuts.get(event.run):
            held = memories(event.parameters)
            missing = held & without & used
            if missing and not missing <= found:
                found |= missing
                mark = cuts[event.run][-1]
                whose = "the parameters of this optimizer" if missing == held else "some parameters of this optimizer"
                draft = rule.at(event.node, whose=whose, cut=spelled(mark)).note(mark.node, "the graph is left here")
                yield draft.lowered(max(LIKELY, believed(event)))


def _never_with_gradient(end: ModuleFinished) -> frozenset[Memory]:
    """The parameters that ask for a gradient and have certainly none at every step."""
    none: set[Memory] = set()
    some: set[Memory] = set()
    for event in end.story:
        for parameter in event.parameters if type(event) is OptimizerStepped else ():
            is_none = parameter.grad <= NONE and parameter.requires_grad <= YES
            (none if is_none else some).add(parameter.storage)
    return frozenset(none - some)


@rule.bad
def generator_loss_on_a_detached_fake():
    import torch
    from torch import nn

    discriminator, generator = nn.Linear(2, 1), nn.Linear(3, 2)
    optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
    fake = generator(torch.ones(4, 3))
    loss = -discriminator(fake.detach()).mean()
    loss.backward()
    optimizer.step()  # GRD618
    return generator.weight


@rule.good(cures=generator_loss_on_a_detached_fake)
def generator_loss_on_the_fake():
    import torch
    from torch import nn

    discriminator, generator = nn.Linear(2, 1), nn.Linear(3, 2)
    optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
    fake = generator(torch.ones(4, 3))
    loss = -discriminator(fake).mean()
    loss.backward()
    optimizer.step()
    return generator.weight
