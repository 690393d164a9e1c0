"""Edits of what is linted of a file, written into its bytes: nothing else in them changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradlint import fixes, kinds, texts
from gradlint.finding import Edit
from gradlint.texts import CannotBeEdited, notebook_edits, pages

_WRITERS: dict[str, Callable[[bytes, Sequence[Edit]], bytes]] = {
    kinds.NOTEBOOK: notebook_edits.edited,
    kinds.PAGE: pages.edited,
}


def rewritten(data: bytes, name: str, edits: Sequence[Edit]) -> bytes:
    """The bytes of a file of this name with edits of its program, which do not overlap. Raises `CannotBeEdited`, and
    `texts.Unreadable` for what is no such file."""
    writer = next((writer for suffix, writer in _WRITERS.items() if name.endswith(suffix)), _program)
    return writer(data, edits)


def _program(data: bytes, edits: Sequence[Edit]) -> bytes:
    made = fixes.with_edits(texts.decode(data), edits)
    try:
        after = texts.encode(made)
        if texts.decode(after) == made:
            return after
    except (texts.Unreadable, UnicodeError):
        pass
    raise CannotBeEdited("what it declares of its encoding would have another meaning")
