"""The norm that gradients are clipped by counts some that no optimizer uses and nothing clears.

## Why it happens

`clip_grad_norm_(model.parameters(), 1.0)` takes the norm over all gradients of the model. Where the optimizer holds a
part of the model alone and the rest is not frozen, `backward()` fills the gradients of the rest as well, and
`optimizer.zero_grad()` clears only those of the optimizer: the others add up from step to step.

## What it costs

The norm grows with every step, and all gradients are scaled down by it: training slows down and comes to a halt.
Nothing warns, and the loss looks as if it had converged.

## When it is right to ignore it

Never known to be. Where the whole model's gradients are cleared (`model.zero_grad()`), or another optimizer holds the
others, nothing is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint.domain import FRESH, MIXED, YES, Graph, Tensor
from gradlint.events import (
    BackwardRun,
    Event,
    GradientsCleared,
    GradientsClipped,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
)
from gradlint.rule import LIKELY, Findings, Rule

from ._protocol import holds_others, memories, places

rule = Rule(
    "GRD723",
    "clip-of-strangers",
    "the norm counts gradients that no optimizer uses and nothing clears, so they add up",
    help="clip what the optimizer holds, or freeze the rest with `requires_grad_(False)`",
    effect="wrong result",
    yields_to=("GRD617", "GRD721"),
    tokens=("clip_grad_norm_",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights have moved less than where the norm counts what is stepped."""
    return bool(returned.abs().sum() < cured.abs().sum())


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    clippings = places(end.story, GradientsClipped)
    built = [one for one in end.story if isinstance(one, OptimizerBuilt)] if clippings else []
    steps = [one for one in end.story if isinstance(one, OptimizerStepped)]
    if not built or any(map(holds_others, [*(one.optimizer for one in built), *(one.optimizer for one in steps)])):
        return
    held = memories(tensor for one in built for tensor in one.parameters)
    held |= memories(tensor for one in steps for tensor in one.parameters)
    cleared = memories(one for event in end.story if isinstance(event, GradientsCleared) for one in event.parameters)
    holding: dict[Graph, int] = {}
    for number, one in reversed([*enumerate(built)]):
        holding.update(dict.fromkeys(memories(one.parameters), number))
    filling = _filled_before(end.story)
    for node, found in clippings.items():
        again = next((one for one in found if one.joint and one.later <= YES), None)
        if again is not None and _counts_strangers(again, held, cleared):
            optimizer = built[min((holding[one] for one in memories(again.parameters) if one in holding), default=0)]
            draft = rule.at(node).note(optimizer.node, "holds only some of them").resting_on(again, optimizer)
            if (filled := filling.get(again)) is not None:
                draft = draft.note(filled.node, "fills all of them")
            yield draft.lowered(LIKELY, "the gradients may be cleared elsewhere")


def _filled_before(story: Sequence[Event]) -> dict[GradientsClipped, BackwardRun]:
    """Return, for each clipping, the last backward before it."""
    found: dict[GradientsClipped, BackwardRun] = {}
    last: BackwardRun | None = None
    for event in story:
        if isinstance(event, BackwardRun):
            last = event
        elif isinstance(event, GradientsClipped) and last is not None:
            found[event] = last
    return found


def _counts_strangers(clipping: GradientsClipped, held: frozenset[Graph], cleared: frozenset[Graph]) -> bool:
    """Return whether an optimizer holds some of what is clipped, and of others that have gradients nobody does or
    clears them."""
    strangers = [one for one in clipping.parameters if not memories([one]) & held]
    lost = any(_adds_up(one) and not memories([one]) & cleared for one in strangers)
    return lost and len(strangers) < len(clipping.parameters)


def _adds_up(tensor: Tensor) -> bool:
    """Return whether there certainly is a gradient that a backward has filled."""
    return tensor.grad <= FRESH | MIXED and tensor.requires_grad <= YES and tensor.parameter.may(YES)


@rule.bad
def only_the_head_is_stepped():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1, bias=False))
    nn.init.zeros_(model[1].weight)
    optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.01)  # GRD723
        optimizer.step()
    return model[1].weight.detach()


@rule.good(cures=only_the_head_is_stepped)
def only_the_head_is_clipped():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1, bias=False))
    nn.init.zeros_(model[1].weight)
    optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        nn.utils.clip_grad_norm_(model[1].parameters(), 0.01)
        optimizer.step()
    return model[1].weight.detach()
