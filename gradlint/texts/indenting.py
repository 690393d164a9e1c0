"""Indentation that Python reads and LibCST does not: rows of one block behind tabs and blanks in another order each."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator
from io import StringIO

_BETWEEN = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER})
"""The tokens between one statement and the next, and behind the last, that are none of either."""


def indented_by_blanks(program: str) -> str:
    """A program whose statements begin behind as many blanks as they did behind tabs and blanks; one that cannot be
    taken apart as it is.

    Python takes rows for those of one block if they are indented alike however wide a tab is, that by one column among
    others: so the blocks are the same, and everything stays in its column.
    """
    rows = program.split("\n")
    try:
        begun = {*_begun(program)}
    except (tokenize.TokenError, SyntaxError):
        return program
    for at in begun:
        row = rows[at - 1]
        code = row.lstrip(" \t")
        rows[at - 1] = " " * (len(row) - len(code)) + code
    return "\n".join(rows)


def _begun(program: str) -> Iterator[int]:
    """Yield the rows that begin with a statement, or are no more than a comment."""
    begins = True
    for token in tokenize.generate_tokens(StringIO(program).readline):
        if token.type in _BETWEEN:
            continue
        if begins or (token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip()):
            yield token.start[0]
        begins = token.type == tokenize.NEWLINE or (begins and token.type == tokenize.COMMENT)
