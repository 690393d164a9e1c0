"""Switching gradients off and then on again also switches them on for a caller who had them off.

## Why it happens

`torch.set_grad_enabled(True)` does not put back what was there before; it sets the mode of the thread
to on. A function that switches off with `set_grad_enabled(False)` and ends with
`set_grad_enabled(True)` works as long as its callers have gradients on. Called inside
`torch.no_grad()`, it ends the block early: what the caller computes afterwards is recorded.

## What it costs

Silently, the rest of the caller's `no_grad` block builds a graph: memory that grows where none was to
be held, in-place updates of parameters that raise, targets that let gradients through.

## When it is right to ignore it

In a function that trains, and so is only ever called with gradients on. Where all callers are shown
and have them on, nothing is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradlint.domain import NO, YES
from gradlint.events import BackwardRun, FunctionFinished, GradModeChanged, Run
from gradlint.rule import CERTAIN, LIKELY, POSSIBLE, Confidence, Draft, Edit, Findings, Question, Rule

from ._switching import switches

rule = Rule(
    "GRD406",
    "forced-grad-mode",
    "`torch.set_grad_enabled(True)` overrides the `no_grad()` of a caller",
    help="use `with torch.no_grad():`, or restore what `torch.is_grad_enabled()` returned",
    effect="wrong result",
    tokens=("set_grad_enabled",),
)


def consequence(returned: Any) -> bool:
    """What the caller computed inside its own `no_grad` block was recorded."""
    return bool(returned.requires_grad)


@rule.on(FunctionFinished)
def check(event: FunctionFinished) -> Findings:
    harmed = any(run.grad_mode.possibly(NO) for run in event.runs)
    if event.all_callers_seen and not harmed:
        return
    for run in event.runs:
        for off, switched_on in _switched(run):
            yield _draft(off, switched_on).lowered(
                CERTAIN if harmed else _confidence(run), "no caller is seen that has gradients off", Question.TORCH
            )


def _switched(run: Run) -> Iterator[tuple[GradModeChanged, list[GradModeChanged]]]:
    """Yield the places where a run switches gradients off and, after that, on by saying so, perhaps several times."""
    off: GradModeChanged | None = None
    on: list[GradModeChanged] = []
    for event in switches(run):
        if event.to <= NO:
            if off is not None and on:
                yield off, on
            off, on = event, []
        elif event.literal and event.to <= YES:
            on.append(event)
        elif not on:
            off = None
    if off is not None and on:
        yield off, on


def _confidence(run: Run) -> Confidence:
    """Callers who are not seen may have gradients off, unless the function is there to train or to be the program."""
    trains = any(isinstance(event, BackwardRun) for event in run.story)
    name = run.function.name if run.function else ""
    return POSSIBLE if trains or name.startswith(("test_", "main")) else LIKELY


def _draft(off: GradModeChanged, switched_on: Sequence[GradModeChanged]) -> Draft:
    draft = rule.at(switched_on[0].node).note(off.node, "switched off here, whatever was on before")
    if any(on.conditions != off.conditions for on in switched_on):
        return draft
    kept = Edit("insert before", off.node, "grad_enabled = torch.is_grad_enabled()")
    restored = [Edit("replace", on.node, "torch.set_grad_enabled(grad_enabled)") for on in switched_on]
    return draft.fix(kept, *restored, safety="unsafe", imports=("torch",))


@rule.bad
def metric_that_ends_its_callers_block():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)

    def metric(prediction):
        torch.set_grad_enabled(False)
        value = (prediction * 2).sum()
        torch.set_grad_enabled(True)  # GRD406
        return value

    with torch.no_grad():
        metric(model(torch.ones(1, 2)))
        later = model(torch.ones(1, 2))
    return later


@rule.good(cures=metric_that_ends_its_callers_block)
def metric_in_a_block_of_its_own():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)

    def metric(prediction):
        with torch.no_grad():
            value = (prediction * 2).sum()
        return value

    with torch.no_grad():
        metric(model(torch.ones(1, 2)))
        later = model(torch.ones(1, 2))
    return later


@rule.bad
def loss_with_a_weight_of_its_own():
    import torch
    from torch import nn

    class FocalLoss(nn.Module):
        def forward(self, scores, targets):
            torch.set_grad_enabled(False)
            weight = (targets - scores.sigmoid()).abs() ** 2
            torch.set_grad_enabled(True)  # GRD406
            return (weight * nn.functional.softplus(-scores)).mean()

    model, criterion = nn.Linear(2, 1), FocalLoss()
    with torch.no_grad():
        scores = model(torch.ones(4, 2))
        loss = criterion(scores, torch.ones(4, 1))
        penalty = loss + model.weight.abs().sum()
    return penalty


@rule.good(cures=loss_with_a_weight_of_its_own)
def loss_that_puts_back_what_was_on():
    import torch
    from torch import nn

    class FocalLoss(nn.Module):
        def forward(self, scores, targets):
            grad_enabled = torch.is_grad_enabled()
            torch.set_grad_enabled(False)
            weight = (targets - scores.sigmoid()).abs() ** 2
            torch.set_grad_enabled(grad_enabled)
            return (weight * nn.functional.softplus(-scores)).mean()

    model, criterion = nn.Linear(2, 1), FocalLoss()
    with torch.no_grad():
        scores = model(torch.ones(4, 2))
        loss = criterion(scores, torch.ones(4, 1))
        penalty = loss + model.weight.abs().sum()
    return penalty
