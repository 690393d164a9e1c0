"""A GradScaler needs its three calls: `scale`, `step` and `update`.

## Why it happens

`scaler.step(optimizer)` remembers that it has stepped this optimizer, until `scaler.update()` begins a
new iteration and adjusts the factor. And only the scaler's own `step` divides the gradients: an
`optimizer.step()` after `scaler.scale(loss).backward()` uses them as they are, multiplied by the
factor.

## What it costs

Without `update()` the second `scaler.step(optimizer)`, or the `unscale_` before it, raises `RuntimeError`; so does an
`unscale_` in each of the iterations whose gradients are accumulated, of which only the last one steps. With a plain
`optimizer.step()` the update is 65536 times too large, and nothing is raised before `scaler.update()`
misses the check for infinities (`AssertionError`). A plain step beside the scaler's takes every update twice, and also
those that the scaler left out for infinities.

## When it is right to ignore it

With `GradScaler(enabled=False)`, and where the gradients were unscaled before a plain step: neither
is reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import FRESH, SCALED, STEPPED, UNSCALED, YES, Syntax
from gradlint.events import (
    BackwardRun,
    GradientsCleared,
    LoopFinished,
    ModuleFinished,
    OptimizerStepped,
    ScalerUsed,
    WrittenInPlace,
)
from gradlint.rule import CERTAIN, LIKELY, Draft, Edit, Findings, Question, Raises, Rule, quoted

from ._protocol import is_divided, memories, some

rule = Rule(
    "GRD709",
    "missing-scaler-update",
    "{fault}",
    help="call `scaler.scale(loss).backward()`, `scaler.step(optimizer)`, then `scaler.update()`",
    tokens=("GradScaler",),
)
UNSCALE_FIRST = "call `unscale_` before the step, and `update()` after the steps of each iteration"
consequence = Raises(RuntimeError, "step() has already been called since the last update().")


def too_large(returned: Any, cured: Any) -> bool:
    """The weights moved more than a hundred times as far as they should have."""
    return bool((returned - 1).abs().sum() > 100 * (cured - 1).abs().sum())


def steps_twice(returned: Any, cured: Any) -> bool:
    """The weights moved twice as far as they should have."""
    return bool(((returned - 1) - 2 * (cured - 1)).abs().max() < 1e-5)


@rule.on(ScalerUsed, "unscale_")
def check_unscaled(event: ScalerUsed) -> Findings:
    if event.stage <= UNSCALED and event.scaler.enabled <= YES:
        yield _unscaled_twice(event)


@rule.on(LoopFinished)
def check_accumulation(event: LoopFinished) -> Findings:
    """Each iteration unscales, and only every so many begin anew."""
    used = [one for one in event.story if type(one) is ScalerUsed] if event.periodic else []
    updates = [{test for test, _ in one.conditions} for one in used if one.what == "update"]
    guards = set.intersection(*updates) & event.periodic if updates else set()
    for node in dict.fromkeys(one.node for one in used if one.what == "unscale_" and guards):
        unscaling = next(one for one in used if one.node is node)
        free = event.periodic.isdisjoint(test for test, _ in unscaling.conditions)
        if free and unscaling.scaler.enabled.may(YES):
            confidence = CERTAIN if unscaling.scaler.enabled <= YES else LIKELY
            yield (
                _unscaled_twice(unscaling)
                .resting_on(unscaling)
                .lowered(confidence, "the scaler may be switched off", Question.TORCH)
            )


def _unscaled_twice(event: ScalerUsed) -> Draft:
    name, optimizer = quoted(event.name, "the GradScaler"), quoted(event.optimizer_name, "the optimizer")
    fault = f"{name} unscales {optimizer} twice without `update()` in between"
    return rule.at(event.node, fault=fault).advising(
        "move `unscale_` to the iteration that steps, right before it clips"
    )


@rule.on(ScalerUsed, "step", "unscale_")
def check_again(event: ScalerUsed) -> Findings:
    if event.stage <= STEPPED and event.scaler.enabled <= YES:
        name, optimizer = quoted(event.name, "the GradScaler"), quoted(event.optimizer_name, "the optimizer")
        call = f"{event.name or 'scaler'}.update()"
        if event.what == "unscale_":
            fault = f"{name} unscales {optimizer} after it has stepped it, without `update()` in between"
            yield rule.at(event.node, fault=fault).advising(UNSCALE_FIRST)
            return
        fault = f"{name} steps {optimizer} twice without `update()` in between"
        draft = rule.at(event.node, fault=fault).advising(f"call `{call}` after the steps of each iteration")
        known = event.name
        yield draft.fix(Edit("insert after", event.node, call), safety="unsafe") if known else draft


@rule.on(ModuleFinished)
def check_plain(event: ModuleFinished) -> Findings:
    """A step that a scaler does not make uses gradients that are still multiplied."""
    steps = [one for one in event.story if type(one) is OptimizerStepped and _is_scaled(one)]
    if not steps or any(type(one) is WrittenInPlace and is_divided(one) for one in event.story):
        return
    scalers = [one for one in event.story if type(one) is ScalerUsed and one.what == "scale"]
    for step in steps:
        scaler = next((one.name for one in scalers if one.name), "scaler")
        name = quoted(step.name, "the optimizer")
        fault = f"{name} steps with gradients still multiplied by the scale of `{scaler}`"
        draft = rule.at(step.node, fault=fault).advising(f"call `{scaler}.step({step.name or 'optimizer'})` instead")
        same = bool(step.name) and any(one.run == step.run and one.name == scaler for one in scalers)
        draft = draft.doing("wrong result").resting_on(step)
        yield draft.fix(Edit("replace", step.node, f"{scaler}.step({step.name})"), safety="unsafe") if same else draft


@rule.on(ModuleFinished)
def check_beside(event: ModuleFinished) -> Findings:
    """A plain step uses the gradients that the scaler's step has used."""
    before: ScalerUsed | None = None
    told = set[Syntax]()
    for one in event.story:
        if isinstance(one, ScalerUsed) and one.what == "step":
            before = one
        elif isinstance(one, BackwardRun | GradientsCleared):
            before = None
        elif isinstance(one, OptimizerStepped) and before and _is_beside(one, before) and one.node not in told:
            told.add(one.node)
            yield _beside(one, before).resting_on(one)


def _is_beside(step: OptimizerStepped, before: ScalerUsed) -> bool:
    """Return whether both steps are of one optimizer, and are made together."""
    same = step.node is not before.node and not memories(step.parameters).isdisjoint(memories(before.parameters))
    return same and step.run == before.run and before.guards <= step.guards


def _beside(step: OptimizerStepped, before: ScalerUsed) -> Draft:
    name, by = quoted(step.name, "the optimizer"), f"{before.name or 'scaler'}.step(...)"
    draft = rule.at(step.node, fault=f"{name} steps again with the gradients that `{by}` has used")
    draft = draft.advising("drop this step: the scaler steps the optimizer").doing("wrong result")
    draft = draft.note(before.node, "this steps the optimizer")
    return draft.fix(Edit("delete", step.node), safety="unsafe")


def _is_scaled(step: OptimizerStepped) -> bool:
    return step.unit <= SCALED and some(step.parameters, FRESH)


@rule.bad
def never_updated():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(2):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)  # GRD709
    return model


@rule.good(cures=never_updated)
def updated_in_each_iteration():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(2):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    return model


@rule.bad(shows=Raises(RuntimeError, "unscale_() is being called after step()."))
def unscaled_again_and_never_updated():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(2):
        optimizer.zero_grad()
        scaler.scale(weight.sum()).backward()
        scaler.unscale_(optimizer)  # GRD709
        torch.nn.utils.clip_grad_norm_([weight], 1.0)
        scaler.step(optimizer)
    return weight


@rule.good(cures=unscaled_again_and_never_updated)
def unscaled_and_updated():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for _ in range(2):
        optimizer.zero_grad()
        scaler.scale(weight.sum()).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_([weight], 1.0)
        scaler.step(optimizer)
        scaler.update()
    return weight


@rule.bad(shows=too_large)
def stepped_past_the_scaler():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    optimizer.step()  # GRD709
    return weight.detach()


@rule.good(cures=stepped_past_the_scaler)
def stepped_by_the_scaler():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    return weight.detach()


@rule.bad(shows=Raises(RuntimeError, "unscale_() has already been called on this optimizer since the last update()."))
def unscaled_in_each_iteration():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for number in range(4):
        loss = model(torch.ones(4, 2)).mean() / 2
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)  # GRD709
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if number % 2 == 1:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    return model


@rule.good(cures=unscaled_in_each_iteration)
def unscaled_before_the_step():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for number in range(4):
        loss = model(torch.ones(4, 2)).mean() / 2
        scaler.scale(loss).backward()
        if number % 2 == 1:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    return model


@rule.bad(shows=steps_twice)
def stepped_beside_the_scaler():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.5)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.step()  # GRD709
    return weight.detach()


@rule.good(cures=stepped_beside_the_scaler)
def stepped_once():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.5)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    return weight.detach()
