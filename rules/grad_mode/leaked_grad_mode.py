"""A function that switches gradients off for good leaves its caller without them.

## Why it happens

`torch.set_grad_enabled(False)` changes the mode of the thread at once, not that of a function. It lasts
until something sets it again: the return does not. Whoever called the function goes on with gradients
off and does not know it.

## What it costs

The first `backward()` after the call raises `RuntimeError`, far from the line that is to blame; what is
only computed is silently not recorded. The second epoch of a training loop fails because the
validation of the first one forgot to switch back.

## When it is right to ignore it

In a program that only ever predicts, and in a function whose purpose it is to switch. Functions that
hand nothing back (`main()`, `setup()`, an `__init__`) are taken for such and believed least, as are
those that leave gradients off on some paths only.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, Function
from gradlint.events import FunctionFinished, GradModeChanged, Returned, Run
from gradlint.rule import CERTAIN, LIKELY, POSSIBLE, Confidence, Draft, Edit, Findings, Rule

from ._switching import switched_off, switches

rule = Rule(
    "GRD405",
    "leaked-grad-mode",
    "`torch.set_grad_enabled(False)` stays in effect after `{function}()` returns",
    help="use `with torch.no_grad():`, or decorate the function with `@torch.no_grad()`",
    effect="error later",
    tokens=("set_grad_enabled",),
)

PURPOSES = ("main", "__enter__", "__aenter__")
"""The functions that hand something back and may still be meant to leave the mode changed."""


def consequence(returned: Any) -> bool:
    """What the caller computes afterwards is not recorded."""
    return not returned.requires_grad


@rule.on(FunctionFinished)
def check(event: FunctionFinished) -> Findings:
    for run in event.runs:
        if run.grad_mode <= YES and (off := switched_off(run)):
            confidence = _confidence(run, off[-1])
            if confidence is not None:
                yield _draft(off[-1], event.function).lowered(
                    confidence, "the caller may be meant to be left without gradients"
                )


def _confidence(run: Run, off: GradModeChanged) -> Confidence | None:
    """Return the confidence that the caller is left without gradients by mistake; None: it is not.

    Who switches off and on under conditions of their own may well leave as it came.
    """
    if run.left_mode <= NO:
        return CERTAIN if _hands_back(run) else POSSIBLE
    forgotten = run.left_mode.possibly(NO) and all(
        on.conditions == off.conditions for on in switches(run) if on.to.may(YES)
    )
    return (LIKELY if _hands_back(run) else POSSIBLE) if forgotten else None


def _hands_back(run: Run) -> bool:
    """Return whether the function computes something for its caller, rather than switch the mode for it."""
    returns = any(isinstance(event, Returned) and event.run == run.index for event in run.story)
    name = run.function.name if run.function else ""
    return returns and not name.startswith(("test_", *PURPOSES))


def _draft(off: GradModeChanged, function: Function) -> Draft:
    draft = rule.at(off.node, function=function.name)
    if function.decorators or function.kind != "function":
        return draft
    return draft.fix(
        Edit("delete", off.node),
        Edit("insert before", function.node, "@torch.no_grad()"),
        safety="unsafe",
        imports=("torch",),
    )


@rule.bad
def evaluation_that_switches_off():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)

    def evaluate(batch):
        torch.set_grad_enabled(False)  # GRD405
        return model(batch).item()

    evaluate(torch.ones(1, 2))
    loss = model(torch.ones(1, 2)).sum()
    return loss


@rule.good(cures=evaluation_that_switches_off)
def evaluation_under_a_decorator():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)

    @torch.no_grad()
    def evaluate(batch):
        return model(batch).item()

    evaluate(torch.ones(1, 2))
    loss = model(torch.ones(1, 2)).sum()
    return loss


@rule.bad
def way_out_that_forgets_to_switch_on():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)

    def error_on(batches):
        torch.set_grad_enabled(False)  # GRD405
        if len(batches) == 0:
            return 0.0
        errors = [model(batch).pow(2).mean().item() for batch in batches]
        torch.set_grad_enabled(True)
        return sum(errors) / len(errors)

    error_on(())
    return model(torch.ones(1, 2))


@rule.good(cures=way_out_that_forgets_to_switch_on)
def every_way_out_restores():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)

    def error_on(batches):
        with torch.no_grad():
            if len(batches) == 0:
                return 0.0
            errors = [model(batch).pow(2).mean().item() for batch in batches]
        return sum(errors) / len(errors)

    error_on(())
    return model(torch.ones(1, 2))
