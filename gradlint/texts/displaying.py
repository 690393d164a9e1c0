"""Values that are shown where they are computed, as a notebook does with the last one of a cell: they are not dropped.

Behind such a call a comma is put: what the call gives is then a member of a tuple, and so is used. It stands in place
of a blank, or of a comment that follows at once, or at the end of the row: nothing else moves.
A flag of a tensor or module is shown as well. Whatever else is named and not called stays as it is, for to show a
method is still no call of it.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence

_NEWLINE = re.compile(r"(\r\n?|\n)")
_SPEAKS = re.compile("noqa|gradlint", re.IGNORECASE)
_FLAGS = ("requires_grad", "is_leaf", "training")
_ENDS_IN_VALUE = re.compile(rf"(?:\)|\.(?:{'|'.join(_FLAGS)}))[ \t]*+(?:#[^\r\n]*+)?\s*+\Z")


def last_displayed(program: str) -> str:
    """A cell in which the value of its last call, or the flag that it ends in, is shown: where nothing but blanks and a
    comment stands behind it."""
    if not _ENDS_IN_VALUE.search(program, max(0, program.rstrip().rfind("\n"))):
        return program
    return _with_commas(program, _statements(program)[-1:])


def all_displayed(program: str) -> str:
    """A session, in which the values of all calls are shown."""
    return _with_commas(program, _statements(program))


def _statements(program: str) -> list[ast.stmt]:
    """The statements of a program; none of what Python refuses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(program).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _with_commas(program: str, statements: Sequence[ast.stmt]) -> str:
    rows = _NEWLINE.split(program)
    for node in reversed(statements):
        if isinstance(node, ast.Expr) and _is_shown(node.value) and node.end_lineno is not None:
            at = 2 * (node.end_lineno - 1)
            before = rows[at].encode()[: node.end_col_offset].decode()
            rows[at] = f"{before}{_with_comma(rows[at][len(before) :])}"
    return "".join(rows)


def _is_shown(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) or (isinstance(value, ast.Attribute) and value.attr in _FLAGS)


def _with_comma(behind: str) -> str:
    """Return the text behind a call that is shown; a comment that may silence something stays where it is."""
    if behind.lstrip().startswith(";") or (behind.startswith("#") and _SPEAKS.search(behind)):
        return behind
    return f",{'' if behind.startswith('#') else behind[1:]}"


def without_comma(row: str, was: str) -> str:
    """A row of a program in which a value may be shown, as it was before that."""
    at = next((at for at, one in enumerate(row) if one != was[at : at + 1]), len(row))
    behind = was[at : at + 1]
    return was if row[at : at + 1] == "," and row[at + 1 :] == ("" if behind == "#" else was[at + 1 :]) else row
