"""`zero_grad()` between backward and step throws the gradients away before they are used.

## Why it happens

`backward()` leaves the gradients in `.grad`, `step()` reads them there, and `zero_grad()` sets them to
None. Parameters whose gradient is None are skipped by every optimizer; with `set_to_none=False` the
gradient is zero, and the step moves nothing but what momentum or weight decay still push.

## What it costs

The weights stay as they are, and the loss stays as it was. Nothing warns.

## When it is right to ignore it

Where a first backward only probes (a learning rate finder, an estimate of a gradient's size) and no
step is meant to use it. A backward between the clearing and the step makes it right, and so does
another optimizer that has used the gradients before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gradlint.domain import FRESH, LOST, CauseKind, Syntax
from gradlint.events import BackwardRun, Event, GradientsCleared, ModuleFinished, OptimizerStepped
from gradlint.rule import Edit, Findings, Rule, quoted

from ._protocol import is_in_vain, memories, places, some

rule = Rule(
    "GRD702",
    "zero-grad-before-step",
    "{name} steps without gradients: they were cleared after `backward()`",
    help="call `zero_grad()` before `backward()` or after `step()`",
    effect="no effect",
    tokens=("backward",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than after a step that used the gradients."""
    return not returned.allclose(cured)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    backwards = places(event.story, BackwardRun)
    for node, steps in places(event.story, OptimizerStepped).items():
        if not all(is_in_vain(step) and some(step.parameters, LOST) for step in steps):
            continue
        draft = rule.at(node, name=quoted(steps[0].name, "the optimizer"))
        draft = draft.resting_on(*steps)
        clearings = _clearings(event.story, steps)
        clearing = next((one for one in clearings if some(one.parameters, FRESH)), None)
        if clearing is not None:
            draft = draft.note(clearing.node, "clears gradients that no step has used")
            draft = draft.fix(*_moved(clearings, steps[0], backwards), safety="unsafe")
        yield draft


def _clearings(story: Iterable[Event], steps: Sequence[OptimizerStepped]) -> list[GradientsCleared]:
    """Return the events that clear gradients of these steps behind the last backward that fills some."""
    mine = memories(parameter for step in steps for parameter in step.parameters)
    since, found = list[GradientsCleared](), list[GradientsCleared]()
    for one in story:
        if type(one) is BackwardRun and not mine.isdisjoint(memories(one.leaves)):
            since.clear()
        elif type(one) is GradientsCleared and not mine.isdisjoint(memories(one.parameters)):
            since.append(one)
        elif one.node is steps[0].node and type(one) is OptimizerStepped:
            found += since
    return found


def _moved(
    clearings: Sequence[GradientsCleared], step: OptimizerStepped, backwards: dict[Syntax, list[BackwardRun]]
) -> tuple[Edit, ...]:
    """The clearings taken away, and the one that clears most put in front of the backward that filled the gradients, if
    all stand in one function."""
    filled = {mark.node for tensor in step.parameters for mark in tensor.causes if mark.kind == CauseKind.BACKWARD}
    widest = max(clearings, key=lambda one: len(memories(one.parameters)))
    beside = [node for node in filled if any(one.run == widest.run for one in backwards.get(node, ()))]
    everything = memories(widest.parameters)
    movable = all(one.name and one.run == widest.run and memories(one.parameters) <= everything for one in clearings)
    if not movable or len(filled) != 1 or not beside:
        return ()
    away = (Edit("delete", node) for node in dict.fromkeys(one.node for one in clearings))
    return *away, Edit("insert before", beside[0], f"{widest.name}.zero_grad()")


@rule.bad
def cleared_between_backward_and_step():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()  # GRD702
    return model.weight.detach()


@rule.good(cures=cleared_between_backward_and_step)
def cleared_before_backward():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(4, 2)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.weight.detach()


@rule.bad
def the_module_cleared_before_the_step():
    import torch
    from torch import nn

    def update(model, optimizer, loss):
        loss.backward()
        model.zero_grad()
        optimizer.step()  # GRD702

    model = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    update(model, optimizer, model(torch.ones(4, 2)).mean())
    return model.weight.detach()


@rule.good(cures=the_module_cleared_before_the_step)
def the_module_cleared_after_the_step():
    import torch
    from torch import nn

    def update(model, optimizer, loss):
        loss.backward()
        optimizer.step()
        model.zero_grad()

    model = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    update(model, optimizer, model(torch.ones(4, 2)).mean())
    return model.weight.detach()
