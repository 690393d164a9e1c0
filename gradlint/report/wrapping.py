"""Text in lines that are not wider than they may be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradlint.report.entry import width

_BETWEEN = re.compile(r"(?<=\S) (?=\S)(?!::|##|-)")
"""The breaks of a line. No line begins with what a runner of workflows takes for a command, or a tool for an option."""


def wrapped(text: str, columns: int) -> list[str]:
    """The lines of a text, broken between words and, if there is room, not in code; a word that is too wide stands
    alone."""
    lines = [""]
    for word in _words(text, columns):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and width(longer) > columns:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _words(text: str, columns: int) -> Iterator[str]:
    """The words of a text; code in backticks is one, unless it is wider than a line."""
    open_code: list[str] = []
    for word in _BETWEEN.split(text):
        open_code.append(word)
        joined = " ".join(open_code)
        if joined.count("`") % 2 == 0:
            yield from [joined] if width(joined) <= columns else open_code
            open_code = []
    yield from open_code
