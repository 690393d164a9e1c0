"""Clipping scaled gradients compares them with a threshold for unscaled ones.

## Why it happens

`scaler.scale(loss).backward()` leaves gradients that are multiplied by the scaler's factor, 65536 to
begin with. `scaler.step(optimizer)` divides them before it steps. What clips in between sees them
scaled: a norm of 1 looks like 65536 and is cut down to the threshold, and the division then leaves
1/65536 of what was meant. `scaler.unscale_(optimizer)` divides early, and the step then leaves it at
that.

## What it costs

Nothing warns. The updates shrink to almost nothing, and they shrink more whenever the factor grows.
Optimizers that normalise gradients, as Adam does, hide it for a while.

## When it is right to ignore it

Where the scaler is switched off for good. Wrappers that unscale on their own (`clip_grad_norm_` of
Accelerate, the scaler of timm) are not reported, nor is a program that divides the gradients itself.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import FRESH, MIXED, PLAIN, SCALED, USED, Syntax
from gradlint.events import GradientsClipped, ModuleFinished, ScalerUsed, WrittenInPlace
from gradlint.rule import CERTAIN, LIKELY, Edit, Findings, Question, Rule, quoted

from ._protocol import is_divided, memories, places

rule = Rule(
    "GRD707",
    "clip-without-unscale",
    "gradients are clipped while still multiplied by the scale of {name}",
    help="call `{scaler}.unscale_({optimizer})` before clipping",
    effect="wrong result",
    tokens=("clip_grad",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights moved less than a hundredth of what they should have."""
    return bool(returned.abs().sum() * 100 < cured.abs().sum())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    clippings = places(event.story, GradientsClipped)
    used = [one for one in event.story if type(one) is ScalerUsed] if clippings else []
    by_hand = any(type(one) is WrittenInPlace and is_divided(one) for one in event.story) if used else False
    for node, found in clippings.items():
        if not all(_finds_scaled(one) for one in found):
            continue
        certain = all(one.unit <= SCALED for one in found)
        step = next((one for one in used if one.what == "step" and _is_about(one, found)), None)
        if step is None or not (certain or _never_unscaled(found, used)) or by_hand:
            continue
        scaler, optimizer = step.name or "scaler", step.optimizer_name or "optimizer"
        draft = rule.at(node, name=quoted(step.name, "a GradScaler"), scaler=scaler, optimizer=optimizer)
        draft = draft.note(step.node, "gradients are unscaled only here").lowered(
            CERTAIN if certain else LIKELY, "not on every way the clipped gradients are scaled", Question.TORCH
        )
        yield draft.resting_on(*found).fix(*_unscaling(node, found[0], step), safety="safe")


def _finds_scaled(clipping: GradientsClipped) -> bool:
    """Return whether gradients that no step has used are clipped, on some path while they are scaled: what a scaler has
    stepped it has unscaled as well."""
    known = clipping.unit <= PLAIN | SCALED and clipping.unit.possibly(SCALED)
    unused = clipping.unit <= SCALED or not clipping.grad.possibly(USED)
    return known and unused and clipping.grad.possibly(FRESH | MIXED)


def _is_about(used: ScalerUsed, clippings: list[GradientsClipped]) -> bool:
    mine = memories(used.parameters)
    return any(not mine.isdisjoint(memories(one.parameters)) for one in clippings)


def _never_unscaled(clippings: list[GradientsClipped], used: list[ScalerUsed]) -> bool:
    """Return whether no path unscales: where some gradients are plain, no scaler was at work."""
    return not any(one.what == "unscale_" and (not one.parameters or _is_about(one, clippings)) for one in used)


def _unscaling(node: Syntax, clipping: GradientsClipped, step: ScalerUsed) -> tuple[Edit, ...]:
    """The line that unscales, where scaler and optimizer are known by the same names."""
    if clipping.run != step.run or not (step.name and step.optimizer_name):
        return ()
    return (Edit("insert before", node, f"{step.name}.unscale_({step.optimizer_name})"),)


@rule.bad
def clipped_while_scaled():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for _ in range(2):
        optimizer.zero_grad()
        loss = model(torch.ones(1, 1)).sum()
        scaler.scale(loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # GRD707
        scaler.step(optimizer)
        scaler.update()
    return model.weight.detach()


@rule.good(cures=clipped_while_scaled)
def clipped_after_unscaling():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for _ in range(2):
        optimizer.zero_grad()
        loss = model(torch.ones(1, 1)).sum()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return model.weight.detach()
