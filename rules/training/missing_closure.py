"""LBFGS needs a closure that computes the loss anew and returns it.

## Why it happens

LBFGS tries several points in one step, and at each of them it has to know the loss and its gradients.
So its `step` takes a function that clears the gradients, computes the loss, calls `backward()` and
returns the loss. Without one the call lacks an argument; a closure that returns nothing leaves
LBFGS with None where it wants to compare losses.

## What it costs

The first step raises `TypeError`.

## When it is right to ignore it

Never for the LBFGS of torch. Other optimizers take a closure but do not need one, and classes derived
from LBFGS may need none; neither is reported.
"""

from __future__ import annotations

from gradlint.domain import NONE_VALUE, UNKNOWN, Optimizer
from gradlint.events import ModuleFinished, OptimizerStepped
from gradlint.rule import Findings, Raises, Rule, quoted

from ._protocol import places

rule = Rule(
    "GRD711",
    "missing-closure",
    "{name} is an LBFGS optimizer, but {fault}",
    help="pass a closure that clears the gradients, calls `backward()` and returns the loss",
    tokens=("LBFGS",),
)
consequence = Raises(TypeError, "missing 1 required positional argument: 'closure'")
RETURNS_NONE = Raises(TypeError, "not 'NoneType'")


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """A line that also steps other optimizers was chosen with care elsewhere."""
    for node, steps in places(event.story, OptimizerStepped).items():
        faults = [_fault(step) for step in steps]
        if all(faults):
            draft = rule.at(node, name=quoted(steps[0].name, "the optimizer"), fault=faults[0])
            yield draft.resting_on(*steps)


def _fault(step: OptimizerStepped) -> str:
    optimizer = step.optimizer
    if not isinstance(optimizer, Optimizer) or optimizer.kind != "LBFGS" or optimizer.cls != UNKNOWN:
        return ""
    if step.closure == NONE_VALUE:
        return "its `step()` is given no closure"
    return "its closure returns `None`" if step.returned == NONE_VALUE else ""


@rule.bad
def stepped_without_a_closure():
    import torch

    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight])
    loss = (weight**2).sum()
    loss.backward()
    optimizer.step()  # GRD711
    return weight


@rule.good(cures=stepped_without_a_closure)
def stepped_with_a_closure():
    import torch

    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight])

    def closure():
        optimizer.zero_grad()
        loss = (weight**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return weight


@rule.bad(shows=RETURNS_NONE)
def closure_that_returns_nothing():
    import torch

    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight])

    def closure():
        optimizer.zero_grad()
        loss = (weight**2).sum()
        loss.backward()

    optimizer.step(closure)  # GRD711
    return weight


@rule.good(cures=closure_that_returns_nothing)
def closure_that_returns_the_loss():
    import torch

    weight = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight])

    def closure():
        optimizer.zero_grad()
        loss = (weight**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return weight
