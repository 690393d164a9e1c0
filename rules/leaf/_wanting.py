"""Leaves that are out of reach, for the rules on them."""

from __future__ import annotations

from gradlint.domain import CPU, FLOAT, NO, NONE, YES
from gradlint.events import LeafRequired

MOVES = frozenset({"to", "cuda", "cpu", "type", "type_as"})
"""Operations that give back what they were given where nothing has to change."""


def is_no_leaf(event: LeafRequired) -> bool:
    """Return whether what is used is certainly no leaf and holds no gradient."""
    tensor = event.tensor
    return tensor.leaf <= NO and (
        event.use not in ("gradient", "test") or (tensor.retains <= NO and tensor.grad <= NONE)
    )


def is_none_elsewhere(event: LeafRequired) -> bool:
    """Return whether the tensor is no leaf on any device but that of the source leaf, which nothing chose."""
    tensor, lost = event.tensor, event.source_leaf
    if lost is None or not lost.device <= CPU or not lost.dtype <= FLOAT:
        return False
    return set(event.operations) <= MOVES and tensor.leaf.possibly(NO) and not tensor.retains.possibly(YES)
