"""A step before backward in a loop that clears first never finds a gradient.

## Why it happens

`step()` reads the gradients that `backward()` has left in `.grad`. In the order clear, step, backward
the first step finds none, and what each backward computes is cleared at the start of the next
iteration, just before the step that could have used it. Parameters without a gradient are skipped.

## What it costs

The weights never change. The loss is computed, differentiated and thrown away in every iteration, and
nothing warns.

## When it is right to ignore it

A loop may well begin with the step, as long as it clears after it and before the next backward: then
every step uses the gradient of the iteration before. That is never reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import LOST, NO, NONE
from gradlint.events import BackwardRun, LoopFinished, OptimizerStepped
from gradlint.rule import Findings, Rule, quoted

from ._protocol import is_in_vain, memories, places, some

rule = Rule(
    "GRD703",
    "step-before-backward",
    "{name} steps before `backward()` fills the gradients, which are then cleared",
    help="move `step()` after `backward()`",
    effect="no effect",
    tokens=("backward",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than after steps that used the gradients."""
    return not returned.allclose(cured)


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    """Report a step that finds nothing yet in the first iteration, and nothing any more in the later ones."""
    backwards = [one for one in event.story if type(one) is BackwardRun and one.how == "backward"]
    for node, steps in places(event.story, OptimizerStepped).items():
        first = [step for step in steps if step.later <= NO]
        later = [step for step in steps if not step.later <= NO]
        if not (first and later and all(is_in_vain(step) for step in steps)):
            continue
        waiting = all(step.grad <= NONE for step in first)
        if waiting and all(some(step.parameters, LOST) for step in later):
            draft = rule.at(node, name=quoted(steps[0].name, "the optimizer"))
            emptied = memories(steps[0].parameters)
            for one in backwards:
                if not emptied.isdisjoint(memories(one.leaves)):
                    draft = draft.note(one.node, "the gradients are only filled here")
                    break
            yield draft.resting_on(*steps)


@rule.bad
def stepped_before_backward():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).mean()
        optimizer.step()  # GRD703
        loss.backward()
    return model.weight.detach()


@rule.good(cures=stepped_before_backward)
def stepped_after_backward():
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
