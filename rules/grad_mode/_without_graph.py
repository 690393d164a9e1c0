"""What the rules on results that were kept out of the graph have in common."""

from __future__ import annotations

from gradlint.domain import NO
from gradlint.events import BackwardRun

OFF, IN_VAIN = "unrecorded", "enabled in vain"
"""The marks of what was computed while gradients were off, and while they were enabled inside inference mode."""
REASONS = frozenset({OFF, IN_VAIN, "cut"})

SAYING = "does not require grad and does not have a grad_fn"
"""What torch says when it is to differentiate what was never recorded."""

MODE_WORDS = ("no_grad", "inference_mode", "set_grad_enabled")
"""What switches gradients off."""


def reasons(event: BackwardRun) -> frozenset[str]:
    """Why there is certainly nothing to differentiate; empty where there may be something, or nobody knows why not."""
    if not event.root.requires_grad <= NO:
        return frozenset()
    return REASONS.intersection(mark.how for mark in event.root.marks)
