"""Comments that silence findings: `# noqa`, `# gradlint: ignore[...]` and `# gradlint: ignore-file[...]`.

`# noqa` means what it means to flake8: with codes after a colon (or the beginnings of codes) it silences those, and
without any it silences everything. It may stand on any physical row of the statement.
"""

from __future__ import annotations

import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gradlint import texts
from gradlint.finding import Finding

_NOQA = re.compile(r"# noqa(?::\s?(?P<codes>(?:[A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE)
_OURS = re.compile(
    r"#\s*gradlint:\s*(?P<verb>ignore-file|ignore)\b(?P<list>\[(?P<words>[^\[\]]*+)\])?(?!\s*+\[)", re.IGNORECASE
)
_ANY = re.compile(r"noqa|gradlint:", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,\s]+")
_COMMENT = re.compile(r"#.*")
_PROTECTED = re.compile(r"GRD0[0-9]{2}")
"""What gradlint says of a whole file cannot be silenced in it."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """What one comment silences: everything (`words` is None), or these codes, beginnings of codes and names."""

    row: int
    words: tuple[str, ...] | None
    prefixes: bool = False
    whole_file: bool = False

    def silences(self, finding: Finding) -> bool:
        if _PROTECTED.fullmatch(finding.code):
            return False
        if self.words is None or finding.name.upper() in self.words or finding.code.upper() in self.words:
            return True
        return self.prefixes and finding.code.upper().startswith(self.words)


def unsuppressed(text: str, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings that no comment of the text silences."""
    if not findings or not _ANY.search(text):
        return tuple(findings)
    comments, statements = _layout(text)
    found = [suppression for row, comment in comments for suppression in _suppressions(row, comment)]
    if not found:
        return tuple(findings)
    return tuple(finding for finding in findings if not _is_silenced(finding, found, statements))


def _is_silenced(finding: Finding, found: Iterable[Suppression], statements: _Statements) -> bool:
    first, last = statements.around(finding.place.row)
    return any(
        (suppression.whole_file or first <= suppression.row <= last) and suppression.silences(finding)
        for suppression in found
    )


def _suppressions(row: int, comment: str) -> Iterator[Suppression]:
    """What a comment silences; one comment may speak to flake8, to us, or to both."""
    if noqa := _NOQA.search(comment):
        yield Suppression(row, _words(noqa["codes"]), prefixes=True)
    for ours in _OURS.finditer(comment):
        yield Suppression(row, _words(ours["words"]), whole_file=ours["verb"].lower() == "ignore-file")


def _words(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(word.upper() for word in _SEPARATOR.split(text) if word)


# ---- where comments and statements are


class _Statements:
    """The rows that each statement (or head of a compound one) takes."""

    def __init__(self, extents: Sequence[tuple[int, int]]) -> None:
        self.extents = extents
        self.starts = [first for first, _ in extents]

    def around(self, row: int) -> tuple[int, int]:
        """First and last row of the statement that a row belongs to; the row itself where there is none."""
        at = bisect_right(self.starts, row) - 1
        if at >= 0 and row <= self.extents[at][1]:
            return self.extents[at]
        return row, row


def _layout(text: str) -> tuple[list[tuple[int, str]], _Statements]:
    """The comments of a text with their rows, and its statements."""
    rows = texts.rows(text)
    lines = iter([*(f"{row}\n" for row in rows[:-1]), *rows[-1:]])
    comments: list[tuple[int, str]] = []
    extents: list[tuple[int, int]] = []
    first = 0
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                comments.append((token.start[0], token.string))
            elif token.type == tokenize.NEWLINE and first:
                extents.append((first, token.start[0]))
                first = 0
            elif not first and token.type not in _BETWEEN:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return _comments_by_sight(rows), _Statements(())
    return comments, _Statements(extents)


_BETWEEN = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def _comments_by_sight(rows: Sequence[str]) -> list[tuple[int, str]]:
    """What looks like a comment, row by row: for programs of a newer Python than this one can take apart."""
    return [(number, seen[0]) for number, row in enumerate(rows, 1) if (seen := _COMMENT.search(row))]
