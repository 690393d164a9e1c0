"""A GradScaler that is to step must have scaled the loss.

## Why it happens

A GradScaler multiplies the loss in `scale(loss)` and divides the gradients before it steps. A loss
that is differentiated without it has gradients in their own unit, and the division still takes place.
A scaler that has never scaled anything does not even have a factor to divide by.

## What it costs

If nothing was ever scaled, `scaler.step(optimizer)` (or `unscale_`) raises `AssertionError`. If other
losses were, nothing is raised: these gradients are divided by the factor all the same, 65536 to begin
with, and the update is that much too small.

## When it is right to ignore it

With `GradScaler(enabled=False)`, whose methods do nothing: that is never reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import FRESH, NO, PLAIN, READY, YES, CauseKind, Syntax
from gradlint.events import BackwardRun, ModuleFinished, ScalerUsed
from gradlint.rule import Edit, Findings, Raises, Rule, quoted

from ._protocol import GONE, places, some

rule = Rule(
    "GRD708",
    "unscaled-loss",
    "{name} divides the gradients of {optimizer} by its scale, but the loss was not scaled",
    help="call `{scaler}.scale(loss).backward()`",
    tokens=("GradScaler",),
)
consequence = Raises(AssertionError, "_scale is None")


def too_small(returned: Any, cured: Any) -> bool:
    """The weights moved less than a hundredth of what they should have."""
    return bool((returned - 1).abs().sum() * 100 < (cured - 1).abs().sum())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    used = [one for one in event.story if type(one) is ScalerUsed and one.what in ("step", "unscale_")]
    backwards = places(event.story, BackwardRun) if used else {}
    for node, found in places(used, ScalerUsed).items():
        if all(_divides_plain(one) for one in found):
            first = found[0]
            name, optimizer = quoted(first.name, "the GradScaler"), quoted(first.optimizer_name, "the optimizer")
            draft = rule.at(node, name=name, optimizer=optimizer, scaler=first.name or "scaler")
            filled = [mark.node for p in first.parameters for mark in p.causes if mark.kind == CauseKind.BACKWARD]
            draft = draft.note(filled[0], "the loss that is differentiated here was not scaled") if filled else draft
            draft = draft.resting_on(*found)
            draft = draft if all(one.scaler.begun <= NO for one in found) else draft.doing("wrong result")
            yield draft.fix(*_scaled(first, frozenset(filled), backwards), safety="safe")


def _divides_plain(used: ScalerUsed) -> bool:
    """Return whether gradients are unscaled that certainly were not scaled."""
    on = used.scaler.enabled.possibly(YES) and not used.scaler.enabled <= NO
    known = used.stage <= READY and used.unit <= PLAIN and used.grad <= GONE | FRESH
    return on and known and some(used.parameters, FRESH)


def _scaled(
    used: ScalerUsed, filled: frozenset[Syntax], backwards: dict[Syntax, list[BackwardRun]]
) -> tuple[Edit, ...]:
    """`scale` around what is differentiated, where that stands in the same function."""
    roots = [one for node in filled for one in backwards.get(node, ())]
    if not used.name or len(filled) != 1 or not all(one.of is not None and one.run == used.run for one in roots):
        return ()
    return tuple(Edit("wrap", of, f"{used.name}.scale(", ")") for of in dict.fromkeys(one.of for one in roots))


@rule.bad
def loss_never_scaled():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    loss = model(torch.ones(4, 2)).mean()
    loss.backward()
    scaler.step(optimizer)  # GRD708
    scaler.update()
    return model


@rule.good(cures=loss_never_scaled)
def loss_scaled():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    loss = model(torch.ones(4, 2)).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    return model


@rule.bad(shows=too_small)
def one_of_two_losses_scaled():
    import torch

    first = torch.ones(1, requires_grad=True)
    second = torch.ones(1, requires_grad=True)
    for_first = torch.optim.SGD([first], lr=1.0)
    for_second = torch.optim.SGD([second], lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(first.sum()).backward()
    second.sum().backward()
    scaler.step(for_first)
    scaler.step(for_second)  # GRD708
    scaler.update()
    return second.detach()


@rule.good(cures=one_of_two_losses_scaled)
def both_losses_scaled():
    import torch

    first = torch.ones(1, requires_grad=True)
    second = torch.ones(1, requires_grad=True)
    for_first = torch.optim.SGD([first], lr=1.0)
    for_second = torch.optim.SGD([second], lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(first.sum()).backward()
    scaler.scale(second.sum()).backward()
    scaler.step(for_first)
    scaler.step(for_second)
    scaler.update()
    return second.detach()
