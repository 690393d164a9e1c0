"""What the rules on `torch.set_grad_enabled(...)` as a statement have in common."""

from __future__ import annotations

from gradlint.domain import Truth
from gradlint.events import GradModeChanged, Run

SWITCH = "torch.set_grad_enabled"


def switched(run: Run, to: Truth) -> list[GradModeChanged]:
    """Where a run of a function, not one that it called, switches the grad mode for good to this."""
    found = [event for event in run.story if isinstance(event, GradModeChanged) and event.run == run.index]
    return [event for event in found if event.how == "statement" and event.to <= to]
