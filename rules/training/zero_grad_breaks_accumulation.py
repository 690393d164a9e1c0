"""`zero_grad()` in every iteration undoes the accumulation of gradients.

## Why it happens

Gradient accumulation differentiates several small batches and steps once: each `backward()` adds to
`.grad`, and only the step's own iteration clears. If every iteration clears, nothing is ever added up,
and the step finds the gradient of the last small batch alone.

## What it costs

All but one of the batches between two steps are computed for nothing. If the loss is divided by their
number, the update is that much too small as well. Nothing warns.

## When it is right to ignore it

Where only every so many batches are meant to count. A `zero_grad()` under a condition of its own, or
in a loop in which some of the gradients are computed only when the optimizer steps (two networks that
take turns), is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlint.domain import FRESH, YES, Syntax
from gradlint.events import BackwardRun, GradientsCleared, LoopFinished
from gradlint.rule import Edit, Findings, Rule, believed, quoted

from ._accumulation import Accumulation, accumulations
from ._protocol import memories

rule = Rule(
    "GRD720",
    "zero-grad-breaks-accumulation",
    "gradients are cleared in every iteration, but {name} steps only in some of them",
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
            draft = rule.at(clearing.node, name=quoted(found.step.name, "the optimizer"))
            draft = draft.note(found.step.node, "steps every so many iterations")
            draft = draft.lowered(max(believed(clearing), believed(found.step)))
            yield draft.fix(*_moved(clearing, found, event), safety="unsafe")


def _losing(event: LoopFinished, found: Accumulation) -> Iterator[GradientsCleared]:
    """Clearings in every iteration that certainly leave nothing, some of it unused."""
    for one in event.story:
        if type(one) is GradientsCleared and one.later <= YES and one.grad.possibly(FRESH) and not one.grad.is_unsure:
            free = all(test not in event.periodic for test, _ in one.conditions)
            if free and found.parameters <= memories(one.parameters) and _comes_each_time(one, event, found):
                yield one


def _comes_each_time(clearing: GradientsCleared, event: LoopFinished, found: Accumulation) -> bool:
    """Whether no backward runs twice without the clearing in between, as it does where only an outer loop clears."""
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
