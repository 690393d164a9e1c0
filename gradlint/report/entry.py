"""The entries of a report, and safe display of text that came from a linted file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import field, replace

from gradlint.finding import LATER, RAISES, Edit, Finding, Fix, Place
from gradlint.frozen import frozen
from gradlint.texts import IDENTITY, SourceMap

UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""The categories of characters that a terminal may obey instead of showing them, or that nobody sees."""
_COMMAND = re.compile(r"##(?=\[|vso\[)")
"""The text that a runner of workflows takes for a command wherever it stands in a line."""
_AT_THE_START = re.compile(r"\A\s*+(?:::|##|-)")
"""The text that such a runner takes for a command at the start of a line, and a shell's tool for an option."""
_LEVELS = {
    RAISES: "error",
    LATER: "error",
    "wrong result": "error",
    "no effect": "warning",
    "memory": "warning",
    "slow": "warning",
}
"""The level of each effect of a mistake; what gradlint says of a whole file is an error."""
_PLACE = re.compile(r":(?=\d)")
"""The text that would be taken for the row behind a path."""
TOP = Place(1, 1, 1, 1)


def _as_it_is(path: str) -> SourceMap:
    return IDENTITY


@frozen()
class Entry:
    """A finding in a file: `path` as it is shown, `filename` absolute, `lines` those of the text that was linted, and
    where these stand in a file of this path (nothing: this one)."""

    finding: Finding
    path: str
    filename: str
    lines: Sequence[str] = field(default=(), compare=False)
    source_map: Callable[[str], SourceMap] = field(default=_as_it_is, compare=False, repr=False)

    @property
    def where(self) -> str:
        """`path:row:column`, with the cell before the row in a notebook, on one line whatever the file is called."""
        return f"{safe_name(self.path)}:{self.row_of(self.finding.place)}:{self.located(self.finding.place)[1].column}"

    def located(self, place: Place, path: str = "") -> tuple[int | None, Place]:
        """The cell of a place, if it is in one, and where in it, or in its file, it is."""
        return self.source_map(path).located(place)

    def row_of(self, place: Place, path: str = "") -> str:
        """The row of a place as it is written: with its cell, if it is in one."""
        return self.source_map(path).written(place.row)

    def in_file(self, place: Place, path: str = "") -> Place:
        """Return the place in a file for tools that know no cells: one in a cell is at the top of its file, for nobody
        knows in which row a notebook keeps it."""
        cell, there = self.located(place, path)
        return there if cell is None else TOP

    def said(self, text: str, place: Place, path: str = "") -> str:
        """Return the text on a place for such tools: behind the cell and the place in it, if it is in one."""
        cell, there = self.located(place, path)
        return text if cell is None else f"cell {cell}:{there.row}:{there.column}: {text}"

    @property
    def place(self) -> Place:
        """Return the place of the finding for such tools."""
        return self.in_file(self.finding.place)

    @property
    def message(self) -> str:
        """Return the message for such tools."""
        return self.said(self.finding.message, self.finding.place)

    @property
    def offered(self) -> list[Fix]:
        """The fixes that are offered, with their edits as places of the file; none where that has cells."""
        if self.located(self.finding.place)[0] is not None:
            return []
        return [replace(fix, edits=tuple(map(self._edit, fix.edits))) for fix in self.finding.fixes if fix.is_offered]

    def _edit(self, edit: Edit) -> Edit:
        return replace(edit, place=self.located(edit.place)[1])

    @property
    def headline(self) -> str:
        """`CODE message`, on one line whatever the program says."""
        return f"{self.finding.code} {escaped(self.finding.message)}"

    @property
    def level(self) -> str:
        """Return the level of the finding for tools that tell an `error` from a `warning`."""
        return _LEVELS.get(self.finding.consequence, "error")

    def shown(self, path: str) -> str:
        """The path of another file from the folder from which this one is shown."""
        return path.removeprefix(self.filename.removesuffix(self.path))

    def named(self, path: str) -> str:
        """Return another file's name as this one is shown: from the same folder."""
        return safe_name(self.shown(path))

    def line(self, row: int) -> str:
        """The text of a row, empty where there is none."""
        return self.lines[row - 1] if 0 < row <= len(self.lines) else ""


def safe_name(path: str) -> str:
    """A path as it is printed: nobody can call a file so that its name is taken for more than a name.

    What cannot be seen is written as Python would write it, so is what would end the name before its end, and `./`
    stands before what could be a command or an option.
    """
    name = _PLACE.sub(r"\\x3a", escaped(path))
    return f"./{name}" if _AT_THE_START.match(name) else name


def escaped(text: str) -> str:
    """The text with what a terminal or a runner may obey written as Python would write it."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(ascii(character)[1:-1] if _is_unsafe(character) else character for character in text)
    return _COMMAND.sub(r"#\\x23", text) if "##" in text else text


def encodable(text: str) -> str:
    """The text with lone surrogates, which stand for bytes that are no text, written as Python would write them."""
    return text.encode("utf-8", "backslashreplace").decode()


def shown(text: str) -> str:
    """A line of source as it is drawn: tabs as four spaces, what a terminal or a runner may obey replaced."""
    if not (text.isascii() and text.isprintable()):
        text = "".join("    " if c == "\t" else "\ufffd" if _is_unsafe(c) else c for c in text)
    return _COMMAND.sub("#\ufffd", text) if "##" in text else text


def _is_unsafe(character: str) -> bool:
    return unicodedata.category(character) in UNSAFE


def width(text: str) -> int:
    """Return the number of columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
