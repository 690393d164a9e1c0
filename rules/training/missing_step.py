"""An optimizer that is never stepped changes nothing.

## Why it happens

`backward()` only computes gradients; the weights change in `step()`. An optimizer that is built and
asked to clear its gradients looks like part of the training loop, but without its `step()` the loop
computes gradients, clears them and starts over.

## What it costs

The weights keep the values they began with. The loss wanders with the batches and never falls.

## When it is right to ignore it

Where the gradients themselves are what is wanted and the optimizer is only there to clear them. If
the program reads them, nothing is reported; nor is it where the optimizer goes to code that is not
shown, which may step it. An optimizer that a class keeps for callers in other files is believed less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradlint.domain import YES, ClearKind, Optimizer, Syntax
from gradlint.events import (
    AttributeAssigned,
    BackwardRun,
    Event,
    GradientRead,
    GradientsCleared,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
)
from gradlint.rule import POSSIBLE, Edit, Findings, Rule, quoted

from ._protocol import made_at, memories, places

rule = Rule(
    "GRD704",
    "missing-step",
    "{name} is never stepped, so the gradients of `backward()` are never used",
    help="call `{call}.step()` after `backward()`",
    effect="no effect",
    tokens=("backward",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than after steps."""
    return not returned.allclose(cured)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    waiting = list(_never_stepped(event))
    if not waiting:
        return
    backwards = places(event.story, BackwardRun)
    clearings = [
        one for one in event.story if type(one) is GradientsCleared and one.by is ClearKind.OPTIMIZER and one.name
    ]
    kept, read = _kept_by_classes(event.story), _read(event.story)
    for built in waiting:
        mine = memories(built.parameters)
        call = next((one.name for one in clearings if not mine.isdisjoint(memories(one.parameters))), "")
        for node in _repeated(backwards, mine, read) if call else ():
            draft = rule.at(node, name=quoted(call, "the optimizer"), call=call).note(built.node, "built here")
            draft = draft.resting_on(built, *backwards[node])
            draft = draft.fix(Edit("insert after", node, f"{call}.step()"), safety="unsafe")
            yield (
                draft.lowered(POSSIBLE, "callers that nobody sees may step the optimizer")
                if built.node in kept and built.assumed_mode
                else draft
            )


def _never_stepped(event: ModuleFinished) -> Iterator[OptimizerBuilt]:
    """The optimizers that stay in the file and whose gradients are neither used by a step nor read."""
    happened = [one for one in event.story if type(one) is OptimizerStepped]
    steps, used = [one.optimizer for one in happened], memories(p for one in happened for p in one.parameters)
    if not all(isinstance(optimizer, Optimizer) for optimizer in steps):
        return
    stepped = {node for optimizer in steps for node in made_at(optimizer)}
    looked_at = _read(event.story)
    for built in event.story:
        if type(built) is OptimizerBuilt and built.parameters and stepped.isdisjoint(made_at(built.optimizer)):
            away = built.graph in event.escaped or built.graph in event.returned
            if not away and (looked_at | used).isdisjoint(memories(built.parameters)):
                yield built


def _read(story: Sequence[Event]) -> frozenset[Any]:
    """Return the parameters whose gradients the program reads."""
    return memories(one.tensor for one in story if type(one) is GradientRead and not one.guard)


def _repeated(
    backwards: Mapping[Syntax, Sequence[BackwardRun]], mine: frozenset[Any], read: frozenset[Any]
) -> Iterator[Syntax]:
    """The places at which a loop fills these gradients again and again, and none that is wanted for what it gives."""
    for node, found in backwards.items():
        again = any(one.how == "backward" and one.later <= YES and _fills(one, mine) for one in found)
        if again and read.isdisjoint(memories(leaf for one in found for leaf in one.leaves)):
            yield node


def _fills(backward: BackwardRun, mine: frozenset[Any]) -> bool:
    """Return whether a backward reaches a parameter that requires grad."""
    return any(leaf.requires_grad <= YES and not mine.isdisjoint(memories((leaf,))) for leaf in backward.leaves)


def _kept_by_classes(story: Sequence[Event]) -> frozenset[Syntax]:
    """Return the places that made the optimizers that methods keep on `self`."""
    kept = [one.value for one in story if type(one) is AttributeAssigned and one.own]
    return frozenset(node for value in kept if isinstance(value, Optimizer) for node in made_at(value))


@rule.bad
def cleared_and_never_stepped():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()  # GRD704
    return model.weight.detach()


@rule.good(cures=cleared_and_never_stepped)
def cleared_and_stepped():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()
        optimizer.step()
    return model.weight.detach()
