"""What a report is made of, and how text that came from a linted file is shown safely."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from gradlint.finding import Finding

_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = frozenset("\u2028\u2029")


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding in a file: `path` as it is shown, `filename` absolute, `lines` those of the file's text."""

    finding: Finding
    path: str
    filename: str
    lines: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """`path:row:column`, on one line whatever the file is called."""
        place = self.finding.place
        return f"{escaped(self.path)}:{place.row}:{place.column}"

    @property
    def headline(self) -> str:
        """`CODE message`, on one line whatever the program says."""
        return f"{self.finding.code} {escaped(self.finding.message)}"

    def line(self, row: int) -> str:
        """The text of a row, empty where there is none."""
        return self.lines[row - 1] if 0 < row <= len(self.lines) else ""


def _is_unsafe(character: str) -> bool:
    """Whether a terminal may obey a character instead of showing it."""
    return unicodedata.category(character) == "Cc" or character in _DIRECTION or character in _BREAKS


def escaped(text: str) -> str:
    """The text with what a terminal may obey written as Python would write it."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(ascii(character)[1:-1] if _is_unsafe(character) else character for character in text)


def shown(text: str) -> str:
    """A line of source as it is drawn: tabs as four spaces, what a terminal may obey replaced."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("    " if c == "\t" else "\ufffd" if _is_unsafe(c) else c for c in text)


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
