"""A shallow copy of a dict of tensors changes with the original.

## Why it happens

`dict(weights)`, `weights.copy()` and `{key: value for ...}` make a new dict, but what is in it are the same tensors. A
write in place (`mul_`, `copy_`, `+=`, a step of an optimizer) through one of the dicts is seen through the other.
`.cpu()` and `.to(...)` give the same tensor again where there is nothing to move.

## What it costs

A backup, a target network or a running average that was meant to stay behind moves along.

## When it is right to ignore it

Where the dicts are meant to share their tensors. That is a matter of intent, so the rule is off by default; the state
dict of a module is GRD310's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint.domain import MAPPINGS, NOTHING, CauseKind, Container, Value, alternatives
from gradlint.events import WrittenInPlace
from gradlint.rule import Draft, Edit, Findings, Rule, quoted

from ._writing import SANCTIONED

rule = Rule(
    "GRD311",
    "shared-dict-alias",
    "{name} is in two dicts, one a shallow copy of the other, so writing it changes both",
    help="copy the tensors as well: `copy.deepcopy(tensors)`",
    effect="wrong result",
    default=False,
)


def consequence(returned: Any, cured: Any) -> bool:
    """The copy is not what it was."""
    return any(not kept.equal(cured[key]) for key, kept in returned.items())


@rule.on(WrittenInPlace)
def check(event: WrittenInPlace) -> Findings:
    dicts = [holder for holder in event.holders if holder.kind in MAPPINGS and not holder.origin]
    alike = [one for one in dicts if any(_alike(one, other) for other in dicts if other is not one)]
    if event.by not in SANCTIONED and alike:
        yield _cured(rule.at(event.node, name=quoted(event.name, "the tensor")), alike)


def _cured(draft: Draft, dicts: Sequence[Container]) -> Draft:
    """Copy deeply what was copied: all of the dicts, or all but the one that the others are copies of."""
    copies = [[mark for mark in one.causes if mark.kind == CauseKind.COPIED] for one in dicts]
    draft = draft.marked((mark for marks in copies for mark in marks), copied="copied here")
    made = [marks[0] for marks in copies if len(marks) == 1 and marks[0].by == "leaves"]
    if copies.count([]) > 1 or len(made) + copies.count([]) < len(copies):
        return draft
    edits = (Edit("wrap", mark.node, "copy.deepcopy(", ")") for mark in made)
    return draft.fix(*edits, safety="unsafe", imports=("copy",))


def _alike(one: Container, other: Container) -> bool:
    """Return whether two dicts hold the same, under the same keys as far as these are known."""
    known = NOTHING == one.rest == other.rest
    return _inside(one) == _inside(other) and not (known and dict(one.items).keys() != dict(other.items).keys())


def _inside(container: Container) -> frozenset[Value]:
    """Return the values in a dict, whatever the keys."""
    values = [*(value for _, value in container.items), container.rest]
    return frozenset(option for value in values for option in alternatives(value) if option != NOTHING)


@rule.bad
def backup_that_moves_along():
    import torch

    weights = {"w": torch.ones(2), "b": torch.zeros(1)}
    backup = dict(weights)
    weights["w"].mul_(5)  # GRD311
    return backup


@rule.good(cures=backup_that_moves_along)
def backup_of_clones():
    import torch

    weights = {"w": torch.ones(2), "b": torch.zeros(1)}
    backup = {key: value.clone() for key, value in weights.items()}
    weights["w"].mul_(5)
    return backup
