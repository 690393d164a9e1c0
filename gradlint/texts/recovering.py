"""Recovery from syntax errors: what is left of a program without the rows that Python refuses.

A row that Python refuses does nothing then, and a block that lacks its body gets one: all else stays where it is, row
for row. Nothing is left of a program whose refused rows head blocks or speak of gradients, for without them the others
would say something else.
"""

from __future__ import annotations

import re

from gradlint.texts.decoding import NEWLINE
from gradlint.texts.python import NotLinted, fault

MOST_ROWS = 50
"""The most rows that are taken out; each costs a parse by Python."""
MOST_PARSED = 2_000_000
"""The most characters that are parsed for it, all parses together."""
_NO_BODY = re.compile(r"\AIndentationError: expected an indented block after .* on line (\d+)")
_ABOUT_GRADIENTS = re.compile(
    r"grad|inference_mode|\.(?:backward|detach_?|eval|load_state_dict|parameters|step|train)\s*\("
)
_CODE = re.compile(r"""(?:[^#"']|"[^"]*"|'[^']*')*""")
"""A row up to its comment."""


def readable(program: str) -> str | None:
    """Return the program without what Python refuses in it; None where too much would be missing."""
    rows = NEWLINE.split(program)
    for _ in range(min(MOST_ROWS, MOST_PARSED // max(len(program), 1))):
        error = fault("\n".join(rows))
        if error is None:
            return "\n".join(rows)
        at, header = min(error.row, len(rows)) - 1, _NO_BODY.search(error.message)
        mended = _left(rows, at) if header is None else _given_a_body(rows, int(header[1]) - 1, at)
        if isinstance(error, NotLinted) or not mended:
            return None
    return None


def _given_a_body(rows: list[str], first: int, behind: int) -> bool:
    """Put a body beside the header that begins in a row, and return whether its end is found before another."""
    for at in range(first, max(behind, first + 1)):
        code = _code(rows[at])
        if code.endswith(":"):
            rows[at] = f"{rows[at][: len(rows[at]) - len(rows[at].lstrip())]}{code} pass"
            return True
    return False


def _left(rows: list[str], at: int) -> bool:
    """Have a row do nothing, and return whether nothing hangs on it."""
    row = rows[at]
    code = _code(row)
    if not code or code.endswith(":") or code.startswith("@") or _ABOUT_GRADIENTS.search(row):
        return False
    indent = row[: len(row) - len(row.lstrip())]
    rows[at] = "" if code == "pass" else f"{indent}pass"
    return True


def _code(row: str) -> str:
    """A row without its comment and the blanks around."""
    found = _CODE.match(row)
    return found.group().strip() if found is not None else row.strip()
