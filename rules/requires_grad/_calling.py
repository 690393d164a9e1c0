"""Attributes that should have been calls, for the rules on them."""

from __future__ import annotations

from gradlint.domain import Constant
from gradlint.events import AttributeAssigned
from gradlint.rule import Draft, Edit


def given(event: AttributeAssigned) -> str:
    """The truth value that is assigned, as the program writes it; nothing where it writes something else."""
    literal = event.value.value if isinstance(event.value, Constant) else None
    return str(literal) if isinstance(literal, bool) else ""


def called_instead(draft: Draft, event: AttributeAssigned, method: str, safety: str = "safe") -> Draft:
    """The draft with a call of the method in place of the assignment, where that is all there is."""
    if not (event.name and event.statement is not None and given(event)):
        return draft
    return draft.fix(Edit("replace", event.statement, f"{event.name}.{method}({given(event)})"), safety=safety)
