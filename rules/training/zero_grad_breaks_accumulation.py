"""`zero_grad()` in every iteration undoes the accumulation of gradients.

## Why it happens

Gradient accumulation differentiates several small batches and steps once: each `backward()` adds to
`.grad`, and only the step's own iteration clears. If every iteration clears, nothing is ever added up,
and the step finds the gradient of the last small batch alone. So it does where `step()` stands behind
the loop by a mistake of indentation.

## What it costs

All but one of the batches between two steps are computed for nothing. If the loss is divided by their
number, the update is that much too small as well. Nothing warns.

## When it is right to ignore it

Where only every so many batches are meant to count. A `zero_grad()` under a condition of its own, or
in a loop in which some of the gradients are computed only when the optimizer steps (two networks that
take turns), is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from gradlint.domain import FRESH, YES, CauseKind, Graph, Syntax
from gradlint.events import (
    BackwardRun,
    Event,
    GradientRead,
    GradientsCleared,
    GradientsClipped,
    LoopFinished,
    ModuleFinished,
    OptimizerStepped,
)
from gradlint.rule import LIKELY, Edit, Findings, Rule, quoted

from ._accumulation import Accumulation, accumulations
from ._protocol import memories

rule = Rule(
    "GRD720",
    "zero-grad-breaks-accumulation",
    "gradients are cleared in every iteration, but {name} steps only {when}",
    help="call `zero_grad()` right after `step()`, under the same condition",
    effect="wrong result",
    tokens=("zero_grad", "grad"),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than after steps with all gradients."""
    return not returned.allclose(cured)


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    for found in accumulations(event):
        for clearing in _losing(event, found):
            draft = rule.at(clearing.node, name=quoted(found.step.name, "the optimizer"), when="in some of them")
            draft = draft.note(found.step.node, "steps every so many iterations")
            draft = draft.resting_on(clearing, found.step)
            yield draft.fix(*_moved(clearing, found, event), safety="unsafe")


@rule.on(ModuleFinished)
def check_behind_loops(end: ModuleFinished) -> Findings:
    """Judge the loops behind which an optimizer uses what their last iteration left."""
    around: dict[int, set[Syntax]] | None = None
    for index, loop in enumerate(end.story):
        if type(loop) is not LoopFinished:
            continue
        for clearing in _wasting(loop):
            around = around or _differentiated(end)
            step = _first_behind(loop, clearing, end.story[index + 1 :], around)
            if step is not None:
                draft = rule.at(clearing.node, name=quoted(step.name, "the optimizer"), when="behind the loop")
                draft = draft.note(step.node, "uses the gradients of the last iteration alone").advising(BEHIND)
                yield draft.resting_on(clearing, step).lowered(LIKELY, "the loop may run once")


BEHIND = "call `step()` in each iteration, or `zero_grad()` before the loop"


def _wasting(loop: LoopFinished) -> Iterator[GradientsCleared]:
    """Clearings in every iteration of gradients that a backward has certainly left and nothing in the loop uses."""
    around = set(loop.conditions)
    found = [
        one
        for one in loop.story
        if type(one) is GradientsCleared
        and one.later <= YES
        and one.grad <= FRESH
        and around.issuperset(one.conditions)
    ]
    used = frozenset[Graph]().union(*map(_using, loop.story)) if found else frozenset[Graph]()
    for one in found:
        if used.isdisjoint(memories(one.parameters)):
            yield one


def _using(event: Event) -> frozenset[Graph]:
    """The parameters whose gradients are looked at."""
    if isinstance(event, GradientsClipped | OptimizerStepped):
        return memories(event.parameters)
    return memories([event.tensor]) if isinstance(event, GradientRead) else frozenset()


def _differentiated(end: ModuleFinished) -> dict[int, set[Syntax]]:
    """Return the places where each run of a function differentiates, by itself or in what it calls."""
    parents = {run.index: run.parent for run in end.runs if run.caller is not None}
    found: dict[int, set[Syntax]] = {}
    for event in end.story:
        if type(event) is BackwardRun:
            run: int | None = event.run
            while run is not None and event.node not in (at := found.setdefault(run, set())):
                at.add(event.node)
                run = parents.get(run)
    return found


def _first_behind(
    loop: LoopFinished, clearing: GradientsCleared, story: Sequence[Event], around: Mapping[int, Set[Syntax]]
) -> OptimizerStepped | None:
    """The first step behind a loop, in the function that runs it, on what of its backwards those of the loop have
    filled alone; what other methods may have left before is cleared by its first iteration."""
    mine, filling = memories(clearing.parameters), {one.node for one in loop.story if type(one) is BackwardRun}
    for one in story:
        if type(one) is OptimizerStepped and one.run == loop.run and not mine.isdisjoint(memories(one.parameters)):
            filled = {
                mark.node for tensor in one.parameters for mark in tensor.causes if mark.kind == CauseKind.BACKWARD
            }
            alone = filled & filling and filling.issuperset(filled & around.get(loop.run, frozenset()))
            return one if alone and one.grad.possibly(FRESH) else None
    return None


def _losing(event: LoopFinished, found: Accumulation) -> Iterator[GradientsCleared]:
    """Clearings in every iteration that certainly leave nothing, some of it unused."""
    for one in event.story:
        if type(one) is GradientsCleared and one.later <= YES and one.grad.possibly(FRESH) and not one.grad.is_unsure:
            free = all(test not in event.periodic for test, _ in one.conditions)
            if free and found.parameters <= memories(one.parameters) and _comes_each_time(one, event, found):
                yield one


def _comes_each_time(clearing: GradientsCleared, event: LoopFinished, found: Accumulation) -> bool:
    """Return whether no backward runs twice without the clearing in between, as if only an outer loop clears."""
    filling = {one.node for one in found.backwards}
    since: set[Syntax] = set()
    for one in event.story:
        if one.node is clearing.node:
            since.clear()
        elif type(one) is BackwardRun and one.node in filling:
            if one.node in since:
                return False
            since.add(one.node)
    return True


def _moved(clearing: GradientsCleared, found: Accumulation, event: LoopFinished) -> tuple[Edit, ...]:
    """The clearing, and all others that are done whenever it is, taken to where the optimizer steps."""
    together = [
        one
        for one in event.story
        if type(one) is GradientsCleared
        and one.conditions == clearing.conditions
        and not found.parameters.isdisjoint(memories(one.parameters))
    ]
    if not all(one.name and one.run == found.step.run for one in together):
        return ()
    away = (Edit("delete", node) for node in dict.fromkeys(one.node for one in together))
    return *away, Edit("insert after", found.step.node, f"{clearing.name}.zero_grad()")


@rule.bad
def cleared_for_each_small_batch():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(torch.eye(2).repeat(4, 1).split(1)):
        optimizer.zero_grad()  # GRD720
        loss = model(batch).mean() / 2
        loss.backward()
        if (index + 1) % 2 == 0:
            optimizer.step()
    return model.weight.detach()


@rule.good(cures=cleared_for_each_small_batch)
def cleared_with_each_step():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(torch.eye(2).repeat(4, 1).split(1)):
        loss = model(batch).mean() / 2
        loss.backward()
        if (index + 1) % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()
    return model.weight.detach()


@rule.bad
def step_behind_the_loop():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in torch.eye(2).split(1):
        optimizer.zero_grad()  # GRD720
        loss = model(batch).mean()
        loss.backward()
    optimizer.step()
    return model.weight.detach()


@rule.good(cures=step_behind_the_loop)
def step_in_the_loop():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in torch.eye(2).split(1):
        optimizer.zero_grad()
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
    return model.weight.detach()
