"""A training loop that never clears its gradients trains on their sum.

## Why it happens

`backward()` adds to `.grad`, it does not replace it, so that several losses can share one step. A
step reads the gradient and leaves it where it is. If nothing clears it in between, the second step
uses the sum of two gradients, the third one the sum of three, and what the first batch said is said
again in every step that follows.

## What it costs

Nothing warns. The steps grow with the iterations and point to where the loss once fell: training
oscillates or diverges, or learns more slowly than it could, which is easily taken for a learning rate
that does not fit.

## When it is right to ignore it

Gradients may be accumulated over several batches and used by one step; that is never reported, as
long as they are cleared after it. Whoever sums gradients over steps on purpose, as a momentum that
never fades, is better served by the `momentum` of the optimizer.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import FRESH, MIXED, NONE_VALUE, YES, CauseKind
from gradlint.events import LoopFinished, OptimizerStepped
from gradlint.rule import Edit, Findings, Rule, quoted

from ._protocol import pointing_at_uncalled, uncalled

rule = Rule(
    "GRD701",
    "missing-zero-grad",
    "`backward()` accumulates into gradients that {name} has already used",
    help="call `{call}.zero_grad()` once for each step",
    effect="wrong result",
    yields_to=("GRD606",),
    tokens=("backward",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than without what was left over."""
    return not returned.allclose(cured)


USABLE = FRESH | MIXED
"""Where a gradient stands that a backward has certainly added to since the last step."""


@rule.on(LoopFinished)
def check(loop: LoopFinished) -> Findings:
    """Point as well at a `zero_grad` that is not called: that is then the mistake."""
    place = uncalled("zero_grad", loop.story)
    for event in loop.story:
        if isinstance(event, OptimizerStepped) and event.later <= YES:
            for draft in _left_over(event):
                yield pointing_at_uncalled(draft, place).resting_on(event)


def _left_over(event: OptimizerStepped) -> Findings:
    """The step uses what a backward has added to gradients of the steps before."""
    mixing = (mark for p in event.parameters if p.grad <= USABLE for mark in p.causes if mark.kind == CauseKind.MIXED)
    for node in dict.fromkeys(mark.node for mark in mixing):
        call = event.name or "optimizer"
        draft = rule.at(node, name=quoted(event.name, "the optimizer"), call=call)
        draft = draft.note(event.node, "used by the step here, as in the iteration before")
        yield draft.fix(*_cleared(event), safety="unsafe")


def _cleared(event: OptimizerStepped) -> tuple[Edit, ...]:
    """Clearing right after the step is right however many backwards come before it, but for a closure that it calls."""
    known = event.name and event.closure == NONE_VALUE
    return (Edit("insert after", event.node, f"{event.name}.zero_grad()"),) if known else ()


@rule.bad
def gradients_never_cleared():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()  # GRD701
        optimizer.step()
    return model.weight.detach()


@rule.good(cures=gradients_never_cleared)
def gradients_cleared_before_each_backward():
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
def accumulated_and_never_cleared():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(6):
        loss = model(torch.ones(4, 2)).mean() / 2
        loss.backward()  # GRD701
        if index % 2 == 1:
            optimizer.step()
    return model.weight.detach()


@rule.good(cures=accumulated_and_never_cleared)
def accumulated_and_cleared_after_each_step():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(6):
        loss = model(torch.ones(4, 2)).mean() / 2
        loss.backward()
        if index % 2 == 1:
            optimizer.step()
            optimizer.zero_grad()
    return model.weight.detach()


@rule.bad
def closure_that_clears_nothing():
    import torch

    weight = torch.full((2,), 3.0, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight], lr=0.1, max_iter=3)

    def closure():
        loss = (weight**2).sum()
        loss.backward()  # GRD701
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return weight.detach()


@rule.good(cures=closure_that_clears_nothing)
def closure_that_clears_first():
    import torch

    weight = torch.full((2,), 3.0, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight], lr=0.1, max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (weight**2).sum()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return weight.detach()
