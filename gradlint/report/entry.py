"""What a report is made of, and how text that came from a linted file is shown safely."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from gradlint.finding import LATER, RAISES, Finding

UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""The categories of characters that a terminal may obey instead of showing them, or that nobody sees."""
_COMMAND = re.compile(r"##(?=\[|vso\[)")
"""What a runner of workflows takes for a command wherever it stands in a line."""
_AT_THE_START = re.compile(r"\A\s*+(?:::|##|-)")
"""What such a runner takes for a command at the start of a line, and a shell's tool for an option."""
_LEVELS = {
    RAISES: "error",
    LATER: "error",
    "silently wrong": "error",
    "no effect": "warning",
    "keeps memory": "warning",
}
"""How grave what a mistake does is; what gradlint says of a whole file is an error."""
_PLACE = re.compile(r":(?=\d)")
"""What would be taken for the row behind a path."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A finding in a file: `path` as it is shown, `filename` absolute, `lines` those of the file's text."""

    finding: Finding
    path: str
    filename: str
    lines: Sequence[str] = field(default=(), compare=False)

    @property
    def where(self) -> str:
        """`path:row:column`, on one line whatever the file is called."""
        place = self.finding.place
        return f"{safe_name(self.path)}:{place.row}:{place.column}"

    @property
    def headline(self) -> str:
        """`CODE message`, on one line whatever the program says."""
        return f"{self.finding.code} {escaped(self.finding.message)}"

    @property
    def level(self) -> str:
        """How grave the finding is to tools that tell an `error` from a `warning`."""
        return _LEVELS.get(self.finding.consequence, "error")

    def shown(self, path: str) -> str:
        """The path of another file from the folder from which this one is shown."""
        return path.removeprefix(self.filename.removesuffix(self.path))

    def named(self, path: str) -> str:
        """Another file as this one is shown: from the same folder."""
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
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
