"""Names bound anew, for the rules on them."""

from __future__ import annotations

from gradlint.domain import Tensor
from gradlint.events import NameRebound


def tensors(event: NameRebound) -> tuple[Tensor, Tensor] | None:
    """The tensor that the name held and the one it holds now."""
    if isinstance(event.old, Tensor) and isinstance(event.value, Tensor):
        return event.old, event.value
    return None
