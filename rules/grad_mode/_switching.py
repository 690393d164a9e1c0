"""What the rules on `torch.set_grad_enabled(...)` as a statement have in common."""

from __future__ import annotations

from gradlint.domain import NO
from gradlint.events import GradModeChanged, Run


def switches(run: Run) -> list[GradModeChanged]:
    """Where a run of a function, not one that it called, sets the grad mode by a statement, in order."""
    found = [event for event in run.story if isinstance(event, GradModeChanged) and event.run == run.index]
    return [event for event in found if event.how == "statement"]


def switched_off(run: Run) -> list[GradModeChanged]:
    """Where a run certainly switches gradients off by a statement."""
    return [event for event in switches(run) if event.to <= NO]
