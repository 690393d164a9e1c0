"""Results that were kept out of the graph, for the rules on them."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.domain import NO, AskKind, Cause, CauseKind, CutKind, Syntax
from gradlint.events import BackwardRun
from gradlint.rule import Draft, Edit

SAYING = "does not require grad and does not have a grad_fn"
"""The words of torch when it is to differentiate what was never recorded."""

MODE_WORDS = ("no_grad", "inference_mode", "set_grad_enabled")
"""The functions that switch gradients off."""


def reasons(event: BackwardRun) -> frozenset[AskKind | CutKind | None]:
    """Return the reasons why there is certainly nothing to differentiate; empty where none is certain or known."""
    if not event.root.requires_grad <= NO:
        return frozenset()
    return frozenset(mark.how for mark in event.root.causes if mark.kind == CauseKind.CUT)


def switches(event: BackwardRun, how: CutKind) -> list[Syntax]:
    """Return the places that set the mode which kept something in the history of the root out of the graph."""
    places = [mark.node for mark in event.root.causes if mark.kind == CauseKind.CUT and mark.how is how]
    return list(dict.fromkeys(places))


def noted(draft: Draft, event: BackwardRun, how: CutKind, text: str) -> Draft:
    """The finding with a note where the mode was set."""
    for place in switches(event, how):
        draft = draft.note(place, text)
    return draft


def instead_of_inference(draft: Draft, marks: Sequence[Cause], safety: str) -> Draft:
    """The finding with the cure that inference mode becomes `no_grad`, where the causes show what switched it on."""
    edits = [Edit("replace", mark.node, "torch.no_grad()") for mark in marks if mark.kind == CauseKind.INFERENCE]
    return draft.fix(*edits, safety=safety, imports=("torch",)) if edits else draft
