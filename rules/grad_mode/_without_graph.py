"""What the rules on results that were kept out of the graph have in common."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.domain import NO, Mark
from gradlint.events import BackwardRun
from gradlint.rule import Draft, Edit

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


def instead_of_inference(draft: Draft, marks: Sequence[Mark], safety: str) -> Draft:
    """The finding with the cure that inference mode becomes `no_grad`, where the marks tell what switched it on."""
    edits = [Edit("replace", mark.node, "torch.no_grad()") for mark in marks if mark.how == "inference"]
    return draft.fix(*edits, safety=safety, imports=("torch",)) if edits else draft
