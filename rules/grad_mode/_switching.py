"""Statements `torch.set_grad_enabled(...)`, for the rules on them."""

from __future__ import annotations

from gradlint.domain import NO
from gradlint.events import GradModeChanged, Run


def switches(run: Run) -> list[GradModeChanged]:
    """Return the switches of a run of a function, not of one that it called, by a statement, in order."""
    found = [event for event in run.story if isinstance(event, GradModeChanged) and event.run == run.index]
    return [event for event in found if event.how == "statement"]


def switched_off(run: Run) -> list[GradModeChanged]:
    """Return the statements by which a run certainly switches gradients off."""
    return [event for event in switches(run) if event.to <= NO]
