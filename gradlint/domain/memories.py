"""Memories: what tells tensors apart wherever they appear, and where things were made."""

from __future__ import annotations

from collections.abc import Iterable

from gradlint.domain.objects import Module, Optimizer, Tensor
from gradlint.domain.provenance import CauseKind
from gradlint.domain.refs import Ref, Syntax

Memory = tuple[Ref, ...]
Memories = frozenset[Memory]


def memories(tensors: Iterable[Tensor]) -> frozenset[Memory]:
    """The memories of tensors, which tell parameters apart wherever they appear."""
    return frozenset(tensor.storage for tensor in tensors if tensor.storage)


def places(memories: Iterable[Memory]) -> frozenset[Memory]:
    """Return the places that made these memories, whichever of those made there they are."""
    return frozenset([tuple([ref._replace(recency=0) for ref in memory]) for memory in memories])


def made_at(thing: Module | Optimizer | Tensor) -> list[Syntax]:
    """The places at which a module, an optimizer or a tensor may have been made."""
    return [mark.node for mark in thing.causes if mark.kind is CauseKind.MADE]
