"""Names for texts that Python does not parse, with cures: older Python, another kind of file, a part of one."""

from __future__ import annotations

import re
from itertools import islice

from gradlint.texts.decoding import Unreadable

LONGEST_ROW = 10_000
"""The most characters of a row that are looked at."""

_KINDS = {
    "the file is a notebook's JSON; call it `.ipynb`, or export its code as a script": re.compile(
        r'\A\s*+\{\s*+"(?:cells"\s*+:\s*+\[\s*+\{\s*+"cell_type|(?:cells|metadata|nbformat)"[^\0]*?"nbformat)"'
    ),
    "the file is a page of HTML or XML; download the source itself (the raw file)": re.compile(
        r"\A\s*+<(?:!doctype|html|head|body|\?xml)\b", re.IGNORECASE
    ),
}
"""Files of other kinds, by how they begin."""
_CONFLICT = re.compile(r"^(?:<{7}|\|{7}|>{7})(?: [^\n]*)?$", re.MULTILINE)
_MARKER = re.compile(r"(?:<{7}|\|{7}|={7}|>{7})(?: |$)")
_TO_BE_MERGED = "a merge conflict is left here; choose one side and remove the markers"
_CUT = "close it, or put back what is missing if the file was cut off"
_NEVER_CLOSED = re.compile(r"'(.)' was never closed")
_CONSTRUCTS = {
    "`print` is a function since Python 3; write `print(...)`": re.compile(
        r"(?:^|[:;])[ \t]*+print[ \t]++(?![ \t=.,)(])"
    ),
    "`exec` is a function since Python 3; write `exec(...)`": re.compile(r"(?:^|[:;])[ \t]*+exec[ \t]++(?![ \t=.,)(])"),
    "`except X, e` binds no error since Python 3; write `except X as e`": re.compile(
        r"^[ \t]*+except\b[^:#\n]*?,[ \t]*+[a-z_]\w*+[ \t]*+:"
    ),
    "`raise X, message` ended with Python 2; write `raise X(message)`": re.compile(
        r"^[ \t]*+raise[ \t]++[\w.]++[ \t]*+,[ \t]*+\S"
    ),
    "`async` is a keyword since Python 3.7; torch calls this argument `non_blocking`": re.compile(
        r"\basync\b[ \t]*+=(?!=)"
    ),
    "a fence of Markdown is left here; remove it and what is around the program": re.compile(r"^[ \t]*+```"),
    "backticks ended with Python 2; write `repr(...)`": re.compile(r"`"),
    "`<>` ended with Python 2; write `!=`": re.compile(r"<>"),
    "the prefix `ur` ended with Python 2; write `r`": re.compile(r"""(?<![\w.])[uU][rR]["']"""),
    "numbers do not begin with 0 since Python 3; write `0o` before octal digits": re.compile(
        r"(?<![\w.])0\d++(?![\w.])"
    ),
    "numbers have no `L` behind them since Python 3; leave it out": re.compile(
        r"(?<![\w.])(?:0[xX][\da-fA-F]++|\d++)[lL]\b"
    ),
    "parameters are not taken apart in brackets since Python 3; do so in the body": re.compile(
        r"\bdef[ \t]++\w++(?:\([^()\n=]*,|\()[ \t]*+\(|\blambda[ \t]*+\("
    ),
    "the file is a template, whose places are not filled in; lint what is made of it": re.compile(
        r"\{\{[^{}\n]*+\}\}|\{%|%\}"
    ),
}
"""The constructs in the row of an error that touch its column."""


def foreign(program: str) -> Unreadable | None:
    """Return the name of a text that is no Python by its beginning, whether Python parses it or not."""
    message = next((message for message, begins in _KINDS.items() if begins.match(program)), None)
    return None if message is None else Unreadable(1, 1, f"SyntaxError: {message}")


def named(program: str, error: SyntaxError) -> Unreadable:
    """Return Python's error in a text, or the name of what Python does not understand, where that is known."""
    row, column, kind = max(error.lineno or 1, 1), max(error.offset or 1, 1), type(error).__name__
    if (marker := _marker(program, row)) is not None:
        return Unreadable(marker, 1, f"SyntaxError: {_TO_BE_MERGED}")
    return Unreadable(row, column, f"{kind}: {_construct(program, row, column, error) or error.msg}")


def _marker(program: str, row: int) -> int | None:
    """The row of the first mark of a merge that was not finished."""
    markers = [program.count("\n", 0, found.start()) + 1 for found in islice(_CONFLICT.finditer(program), 2)]
    here = [row] if _MARKER.match(_row(program, row)) else []
    return min([*markers, *here]) if here or len(markers) > 1 else None


def _construct(program: str, row: int, column: int, error: SyntaxError) -> str | None:
    if isinstance(error, TabError):
        return "tabs and spaces are mixed in the indentation; indent with spaces alone"
    if bracket := _NEVER_CLOSED.match(error.msg):
        return f"`{bracket[1]}` is never closed; {_CUT}"
    if error.msg.startswith("unterminated triple-quoted"):
        return f"a string in triple quotes is never closed; {_CUT}"
    text = _row(program, row)
    for message, construct in _CONSTRUCTS.items():
        if any(found.start() < column <= found.end() + 1 for found in construct.finditer(text)):
            return message
    return None


def _row(program: str, row: int) -> str:
    rows = program.split("\n", row)
    return rows[row - 1][:LONGEST_ROW] if row <= len(rows) else ""
