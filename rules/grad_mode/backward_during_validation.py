"""A step of the optimizer during validation trains on the data that is there to judge.

## Why it happens

A validation loop is often copied from the training loop, its `backward()` and `step()` with it. That
the model is in eval mode changes neither: gradients are recorded, filled and used.

## What it costs

The weights move at each validation. The measured error goes down because the model has seen its
validation data, and says nothing about others any more.

## When it is right to ignore it

Where the evaluation itself adapts the model (test-time training) or optimizes something else (an
adversarial input), and in a test of a training step. A backward without a step, for input gradients or
saliency, is believed least.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradlint.domain import EVAL, YES, Tensor
from gradlint.events import BackwardRun, FunctionFinished, ModeChanged, ModuleCalled, OptimizerStepped, Run
from gradlint.rule import LIKELY, POSSIBLE, Findings, Rule

rule = Rule(
    "GRD413",
    "backward-during-validation",
    "`{function}()` trains on validation data: {what} in eval mode",
    help="remove it, and validate under `with torch.no_grad():`",
    effect="wrong result",
    tokens=("eval", "train"),
)

VALIDATING = frozenset("val valid validate validation eval evaluate evaluation test testing".split())
"""Words of which the name of a validating function has one."""
OTHERWISE = ("adapt", "attack", "train", "tune", "fit", "advers", "explain", "salien", "grad", "robust")
"""The words in the name of a function that has a reason to differentiate."""


def consequence(returned: Any) -> bool:
    """The weights are not what they were before the validation."""
    before, after = returned
    return bool((before != after).any())


@rule.on(FunctionFinished)
def check(event: FunctionFinished) -> Findings:
    if not _validates(event.function.name.lower()):
        return
    for run in event.runs:
        if any(isinstance(one, ModeChanged) and one.to <= EVAL for one in run.story):
            yield from _in_run(event.function.name, run)


def _validates(name: str) -> bool:
    words = name.split("_")
    is_test = words[0] == "test" and words[-1] not in ("test", "epoch", "step", "loop")
    return not (VALIDATING.isdisjoint(words) or is_test or any(part in name for part in OTHERWISE))


def _in_run(function: str, run: Run) -> Findings:
    """Report what is differentiated after a recorded call in eval mode, and stepped after that."""
    called: ModuleCalled | None = None
    backward: BackwardRun | None = None
    for event in run.story:
        if isinstance(event, ModuleCalled) and not event.nested:
            called = event if event.module.mode <= EVAL and event.grad_mode <= YES and event.recorded else None
        elif isinstance(event, BackwardRun) and called is not None and event.how == "backward":
            backward = event
            yield rule.at(event.node, function=function, what="`backward()` runs").lowered(
                POSSIBLE, "a gradient of the input may be what is wanted"
            )
        elif isinstance(event, OptimizerStepped) and backward is not None:
            if _holds_parameters(event.parameters):
                draft = rule.at(event.node, function=function, what="an optimizer steps")
                yield (
                    draft.note(backward.node, "differentiated here")
                    .resting_on(event)
                    .lowered(LIKELY, "the function is taken to evaluate for its name or for `eval()`")
                )
            backward = None


def _holds_parameters(tensors: Iterable[Tensor]) -> bool:
    return any(tensor.parameter <= YES for tensor in tensors)


@rule.bad
def validation_copied_from_training():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def validate(batches):
        model.eval()
        total = 0.0
        for batch in batches:
            optimizer.zero_grad()
            loss = model(batch).pow(2).mean()
            loss.backward()  # GRD413
            optimizer.step()  # GRD413
            total += loss.item()
        return total

    before = model.weight.detach().clone()
    validate([torch.ones(4, 2)])
    return before, model.weight


@rule.good(cures=validation_copied_from_training)
def validation_without_gradients():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)

    def validate(batches):
        model.eval()
        total = 0.0
        with torch.no_grad():
            for batch in batches:
                loss = model(batch).pow(2).mean()
                total += loss.item()
        return total

    before = model.weight.detach().clone()
    validate([torch.ones(4, 2)])
    return before, model.weight
