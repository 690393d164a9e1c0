"""Edits of a notebook's program, written into its file: nothing else in its bytes changes.

The source of a cell is a string of JSON, or a list of such, as a rule one to a row. It is taken as the characters that
it spells, each with how the file spells it: an edit takes some of these away and puts others in their place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from gradlint.finding import Edit, Place
from gradlint.frozen import frozen
from gradlint.texts.decoding import NEWLINE
from gradlint.texts.notebooks import Cell, cells_of, read
from gradlint.texts.taking import check

_BLANK = re.compile(r"[ \t\n\r]*+")
_STRING = r'"(?:[^"\\]|\\.)*+"?+'
_MARK = re.compile(rf"{_STRING}|[\[\]{{}}]")
_PLAIN = re.compile(rf"{_STRING}|[^\s,\]}}]++")
_SPELLED = re.compile(r"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\.|[^\\]", re.DOTALL)
"""The spelling of one character in a string."""


@frozen()
class _Character:
    """A character of a cell, as its file spells it. The last one of a piece says what stands between that and the
    next."""

    text: str
    spelled: str
    between: str | None = None


@frozen()
class _Source:
    """The source of a cell in its file, what stands around and `between` its pieces, and its characters. A string is
    one piece."""

    start: int
    end: int
    opening: str
    closing: str
    between: str | None
    characters: tuple[_Character, ...]


def edited(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The bytes of a notebook with edits of its program, which do not overlap. Raises `CannotBeEdited`."""
    text, notebook = data.decode("utf-8"), read(data)
    check(notebook, edits)
    cells = {cell.number: cell for cell in cells_of(data)}
    by_cell: dict[int, list[Edit]] = {}
    for edit in edits:
        number, place = notebook.source_map.located(edit.place)
        if number is not None:
            by_cell.setdefault(number, []).append(Edit(place, edit.text))
    sources = dict(enumerate(_sources(text), 1))
    in_ascii = text.isascii() and "\\u" in text
    for number in sorted(by_cell, reverse=True):
        source = sources[number]
        written = _with_edits(source, cells[number], by_cell[number], in_ascii)
        text = text[: source.start] + written + text[source.end :]
    return text.encode("utf-8")


def _with_edits(source: _Source, cell: Cell, edits: Sequence[Edit], in_ascii: bool) -> str:
    """The source of a cell with edits, as the file is to spell it."""
    rows = NEWLINE.split(cell.source)
    starts = [0, *(found.end() for found in NEWLINE.finditer(cell.source))]
    characters = list(source.characters)
    for edit in sorted(edits, key=lambda each: each.place, reverse=True):
        first, last = _stretch(edit.place, rows, starts)
        text = edit.text if edit.place.row <= len(rows) else _at_the_end(edit.text)
        characters[first:last] = (_spelled(character, source.between, in_ascii) for character in text)
    return _written(source, characters)


def _at_the_end(lines: str) -> str:
    """Lines as they stand behind the last row of a cell, which no newline ends."""
    newline = next((found[0] for found in NEWLINE.finditer(lines)), "")
    return f"{newline}{lines.removesuffix(newline)}"


def _stretch(place: Place, rows: Sequence[str], starts: Sequence[int]) -> tuple[int, int]:
    """The offsets of a place in a cell, from its rows and where they begin. The row behind the last is its end; what a
    program has behind a row is behind it here."""
    whole, begins = [*rows, ""], [*starts, starts[-1] + len(rows[-1])]
    first, last = (
        begins[row - 1] + min(column - 1, len(whole[row - 1]))
        for row, column in ((place.row, place.column), (place.end_row, place.end_column))
    )
    return first, last


def _spelled(character: str, between: str | None, in_ascii: bool) -> _Character:
    """A new character: behind each row a piece ends, where there are several."""
    spelled = json.dumps(character, ensure_ascii=in_ascii)[1:-1]
    return _Character(character, spelled, between if character == "\n" else None)


def _written(source: _Source, characters: Sequence[_Character]) -> str:
    """A source with these characters; the last piece is followed by none."""
    if source.between is None:
        return f'"{"".join(each.spelled for each in characters)}"'
    ended = [*characters[:-1], *(replace(each, between=None) for each in characters[-1:])]
    inside = "".join(each.spelled if each.between is None else f'{each.spelled}"{each.between}"' for each in ended)
    return f'{source.opening}"{inside}"{source.closing}' if ended else f"{source.opening}{source.closing}"


# ---- where sources stand in JSON that is known to be sound


def _sources(text: str) -> Iterator[_Source]:
    """The sources of all cells, in order."""
    top = _members(text, _behind_blanks(text, int(text.startswith("\ufeff"))))
    for start, _ in _items(text, dict(top)["cells"]):
        yield _source(text, dict(_members(text, start)).get("source", start))


def _source(text: str, start: int) -> _Source:
    """The source that begins at an offset; of what is none, nothing is asked."""
    end = _end(text, start)
    if text[start] != "[":
        return _Source(start, end, "", "", None, tuple(_characters(text[start:end])))
    pieces = list(_items(text, start))
    if not pieces:
        return _Source(start, end, text[start : end - 1], "]", ", ", ())
    opening, closing = text[start : pieces[0][0]], text[pieces[-1][1] : end]
    gaps = [text[one[1] : other[0]] for one, other in pairwise(pieces)]
    usual = gaps[0] if gaps else f",{opening[1:]}"
    characters = list[_Character]()
    for (first, last), between in zip(pieces, [*gaps, usual], strict=True):
        piece = list(_characters(text[first:last]))
        if piece and (last != pieces[-1][1] or piece[-1].text == "\n"):
            piece[-1] = replace(piece[-1], between=between)
        characters += piece
    return _Source(start, end, opening, closing, usual, tuple(characters))


def _characters(string: str) -> Iterator[_Character]:
    for found in _SPELLED.finditer(string[1:-1]):
        spelled = found[0]
        yield _Character(json.loads(f'"{spelled}"') if spelled[0] == "\\" else spelled, spelled)


def _members(text: str, start: int) -> Iterator[tuple[str, int]]:
    """The keys of an object, and where their values begin."""
    at = _behind_blanks(text, start + 1)
    while text[at] != "}":
        end = _end(text, at)
        value = _behind_blanks(text, _behind_blanks(text, end) + 1)
        yield json.loads(text[at:end]), value
        at = _behind_comma(text, _end(text, value))


def _items(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the beginnings and ends of the members of a list."""
    at = _behind_blanks(text, start + 1)
    while text[at] != "]":
        yield at, (end := _end(text, at))
        at = _behind_comma(text, end)


def _end(text: str, start: int) -> int:
    """Return the end of a value."""
    if text[start] not in "[{":
        found = _PLAIN.match(text, start)
        return found.end() if found else start
    depth = 0
    for mark in _MARK.finditer(text, start):
        depth += (mark[0] in "[{") - (mark[0] in "]}")
        if depth == 0:
            return mark.end()
    return len(text)


def _behind_blanks(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _behind_comma(text: str, at: int) -> int:
    at = _behind_blanks(text, at)
    return _behind_blanks(text, at + 1) if text[at] == "," else at
