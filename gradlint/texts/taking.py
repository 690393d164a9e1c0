"""The edits of a program that its file can take: those of one cell of a notebook, or of one block of a page."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.finding import Edit, Place
from gradlint.texts.decoding import NEWLINE
from gradlint.texts.displaying import without_comma
from gradlint.texts.mapping import IDENTITY, Part, Text


class CannotBeEdited(Exception):
    """Edits that a file cannot take; the message says why."""


def check(text: Text, edits: Sequence[Edit]) -> None:
    """Raises `CannotBeEdited` for edits that go beyond a part of a program, or change what is no Python in its file."""
    if text.source_map is IDENTITY:
        return
    program, shown = NEWLINE.split(text.program), NEWLINE.split(text.shown)
    for edit in edits:
        part = next((one for one in text.parts if one.first <= edit.place.row <= one.end), None)
        if part is None:
            raise CannotBeEdited("it is in none of the parts that are Python")
        _check_extent(part, edit)
        for row in _touched(part, edit.place):
            indent = text.source_map.stretch(row).indent
            start = edit.place.column - 1 if row == edit.place.row else 0
            if not _agree(program[row - 1], shown[row - 1][indent:], start):
                raise CannotBeEdited("it touches what is no Python")


def can_take(text: Text, edits: Sequence[Edit]) -> bool:
    """Return whether a file can take edits of its program."""
    try:
        check(text, edits)
    except CannotBeEdited:
        return False
    return True


def _check_extent(part: Part, edit: Edit) -> None:
    place = edit.place
    last = max((place.row, place.column), (place.end_row, place.end_column))
    if last > (part.end, 1):
        raise CannotBeEdited("it goes over several parts")
    if part.keeps_rows and (place.row < place.end_row or NEWLINE.search(edit.text)):
        raise CannotBeEdited("its rows begin with what is no Python")


def _touched(part: Part, place: Place) -> range:
    """The rows of a part of which a place has something; what it ends at the beginning of is not among them."""
    last = place.end_row - 1 if place.end_column == 1 and place.row < place.end_row else place.end_row
    return range(place.row, min(last + 1, part.end))


def _agree(program: str, shown: str, start: int) -> bool:
    """Return whether a row of a program is what its file has, from an offset on at least."""
    if without_comma(program, shown) == shown:
        return True
    pairs = zip(reversed(program), reversed(shown), strict=False)
    same = next((at for at, (one, other) in enumerate(pairs) if one != other), 0)
    return len(program) == len(shown) and same > 0 and start >= len(shown) - same
