"""A scheduler that steps before the optimizer skips the first learning rate.

## Why it happens

A scheduler sets the initial learning rate when it is made. Its `step()` moves on to the next one, so it
belongs behind the optimizer's `step()`: first use a rate, then move on. (Before torch 1.1 it was the
other way round, and old code still is.)

## What it costs

The first rate of the schedule is never used and every later one comes an iteration, or an epoch, too
early: a decay by ten in the first step trains ten times too slowly from the start. torch warns once
("Detected call of `lr_scheduler.step()` before `optimizer.step()`").

## When it is right to ignore it

`ReduceLROnPlateau` moves on by what it is told, and `CosineAnnealingWarmRestarts` is often told the
epoch; neither is reported. Nor is a scheduler that is moved on in a loop of its own, to come to where an
earlier run stopped, or one that is guarded by a condition under which the optimizer does not stand. A
`LambdaLR` may be moved on before training because its first rate is 0.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, Optimizer
from gradlint.events import LoopFinished, ModuleFinished, OptimizerStepped, SchedulerStepped
from gradlint.rule import Draft, Edit, Findings, Rule, Warns, quoted

from ._protocol import made_at

rule = Rule(
    "GRD710",
    "scheduler-before-optimizer",
    "{name} steps before {optimizer}, so the first learning rate is skipped",
    help="call `scheduler.step()` after `optimizer.step()`",
    effect="wrong result",
    tokens=("lr_scheduler", "LRScheduler", "SWALR"),
)
consequence = Warns("Detected call of `lr_scheduler.step()` before `optimizer.step()`")
PATIENT = frozenset({"ReduceLROnPlateau", "CosineAnnealingWarmRestarts"})
"""Schedulers that torch lets step first."""
MAY_BEGIN_WITH_ZERO = "LambdaLR"
"""A scheduler whose first rate is whatever the program says, even 0, which is better skipped."""


def skips_the_first_rate(returned: Any, cured: Any) -> bool:
    """The weights moved less than with the first rate."""
    return bool((returned - 1).abs().sum() < (cured - 1).abs().sum())


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    """Report a loop in whose first iteration the scheduler moves on, and the optimizer takes its first step later."""
    waiting: list[SchedulerStepped] = []
    for happened in event.story:
        if type(happened) is SchedulerStepped and _is_early(happened):
            waiting.append(happened)
        elif type(happened) is OptimizerStepped and waiting:
            for early in [one for one in waiting if _belongs_to(one, happened)]:
                waiting.remove(early)
                yield _draft(early, happened).fix(Edit("move behind", early.node, to=happened.node), safety="unsafe")


@rule.on(ModuleFinished)
def check_before_training(event: ModuleFinished) -> Findings:
    """Outside of all loops the scheduler moves on, and the same run of a function takes the first step later."""
    steps = [one for one in event.story if type(one) is SchedulerStepped and _is_early(one)]
    if not steps:
        return
    looped = {id(one) for loop in event.story if type(loop) is LoopFinished for one in loop.story}
    for early in steps:
        if id(early) not in looped and early.scheduler.kind != MAY_BEGIN_WITH_ZERO:
            rest = event.story[event.story.index(early) :]
            taken = (one for one in rest if type(one) is OptimizerStepped and one.run == early.run)
            first = next((one for one in taken if _belongs_to(early, one)), None)
            if first is not None:
                yield _draft(early, first).fix(Edit("delete", early.node), safety="unsafe")


def _draft(early: SchedulerStepped, first: OptimizerStepped) -> Draft:
    name, optimizer = quoted(early.name, "the scheduler"), quoted(first.name, "its optimizer")
    draft = rule.at(early.node, name=name, optimizer=optimizer)
    draft = draft.note(first.node, "the first step of the optimizer comes only here")
    return draft.resting_on(early, first)


def _is_early(stepped: SchedulerStepped) -> bool:
    """Return whether a scheduler moves on before its optimizer first steps; one given an epoch, mostly 0 at first,
    sets the rate of that."""
    driven = stepped.optimizer
    known = stepped.later <= NO and not stepped.given and stepped.scheduler.kind not in ("", *PATIENT)
    return known and isinstance(driven, Optimizer) and driven.stepped <= NO


def _belongs_to(early: SchedulerStepped, step: OptimizerStepped) -> bool:
    """Return whether this is the optimizer's first step, and comes whenever the scheduler's does."""
    under = early.conditions == step.conditions[: len(early.conditions)]
    return under and not set(made_at(early.optimizer)).isdisjoint(made_at(step.optimizer))


@rule.bad
def first_rate_skipped():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        weight.sum().backward()
        scheduler.step()  # GRD710
        optimizer.step()
    return weight.detach()


@rule.good(cures=first_rate_skipped)
def first_rate_used():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        weight.sum().backward()
        optimizer.step()
        scheduler.step()
    return weight.detach()


@rule.bad(shows=skips_the_first_rate)
def moved_on_at_the_start_of_each_epoch():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    for _ in range(2):
        scheduler.step()  # GRD710
        for _ in range(3):
            optimizer.zero_grad()
            weight.sum().backward()
            optimizer.step()
    return weight.detach()


@rule.good(cures=moved_on_at_the_start_of_each_epoch)
def moved_on_at_the_end_of_each_epoch():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    for _ in range(2):
        for _ in range(3):
            optimizer.zero_grad()
            weight.sum().backward()
            optimizer.step()
        scheduler.step()
    return weight.detach()


@rule.bad(shows=skips_the_first_rate)
def moved_on_before_training():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    scheduler.step()  # GRD710
    for _ in range(3):
        optimizer.zero_grad()
        weight.sum().backward()
        optimizer.step()
        scheduler.step()
    return weight.detach()


@rule.good(cures=moved_on_before_training)
def left_alone_before_training():
    import torch

    weight = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        weight.sum().backward()
        optimizer.step()
        scheduler.step()
    return weight.detach()
