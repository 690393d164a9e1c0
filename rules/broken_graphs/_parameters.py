"""What the rules on who is trained by what have in common: parameters told apart by their memory."""

from __future__ import annotations

from collections.abc import Iterable

from gradlint.domain import Ref, Tensor

Memory = tuple[Ref, ...]


def memories(tensors: Iterable[Tensor]) -> frozenset[Memory]:
    """The memories of tensors, which tell parameters apart wherever they appear."""
    return frozenset(tensor.storage for tensor in tensors if tensor.storage)
