"""Comments that silence findings: `# noqa`, `# gradlint: ignore[...]` and `# gradlint: ignore-file[...]`.

`# noqa` means what it means to flake8: with codes after a colon (or the beginnings of codes) it silences those, and
without any it silences everything. It may stand on any physical row of the statement.
"""

from __future__ import annotations

import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from gradlint import texts
from gradlint.finding import Finding
from gradlint.frozen import frozen
from gradlint.selection import OF_FILES, UNUSED

_NOQA = re.compile(r"# noqa(?::\s?(?P<codes>(?:[A-Z]+[0-9]+(?:[,\s]+)?)+))?", re.IGNORECASE)
_OURS = re.compile(
    r"#\s*gradlint:\s*(?P<verb>ignore-file|ignore)\b(?P<list>\[(?P<words>[^\[\]]*+)\])?(?!\s*+\[)", re.IGNORECASE
)
_ANY = re.compile(r"noqa|gradlint:", re.IGNORECASE)
_COMMENT = re.compile(r"#.*")
_WORD = re.compile(r"[^,\s]+")


@frozen()
class Comment:
    """A comment, and where it begins."""

    row: int
    column: int
    text: str


@frozen()
class Suppression:
    """The findings that one comment silences: all (`words` is None), or those of these codes, beginnings of codes and
    names, in capitals. `span` is the stretch of the comment that says so, and `spans` are those of the words."""

    comment: Comment
    span: tuple[int, int]
    words: tuple[str, ...] | None
    spans: tuple[tuple[int, int], ...] = ()
    prefixes: bool = False
    whole_file: bool = False

    @property
    def row(self) -> int:
        return self.comment.row

    @property
    def is_ours(self) -> bool:
        """Return whether it speaks to gradlint alone."""
        return not self.prefixes


class _Comments:
    """The findings that comments silence together."""

    def __init__(self) -> None:
        self._all, self._all_of_ours = False, False
        self._words, self._beginnings = set[str](), set[str]()

    def add(self, one: Suppression) -> None:
        """Note what one of them says."""
        if one.words is None:
            self._all, self._all_of_ours = self._all or one.prefixes, self._all_of_ours or one.is_ours
        else:
            (self._beginnings if one.prefixes else self._words).update(one.words)

    def silence(self, finding: Finding) -> bool:
        code, name = finding.code.upper(), finding.name.upper()
        if finding.code in OF_FILES:
            return False  # what gradlint says of a whole file cannot be silenced in it
        if self._all or (self._all_of_ours and finding.code != UNUSED.code):
            return True  # what silences nothing cannot keep that to itself
        if not self._words.isdisjoint((code, name)) or name in self._beginnings:
            return True
        return any(code[:end] in self._beginnings for end in range(1, len(code) + 1))


def unsuppressed(text: str, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings that no comment of the text silences."""
    found, statements = suppressions(text) if findings else ([], Statements(()))
    if not found:
        return tuple(findings)
    everywhere, nowhere = _Comments(), _Comments()
    by_statement: dict[tuple[int, int], _Comments] = {}
    for one in found:
        at = statements.around(one.row)
        (everywhere if one.whole_file else by_statement.setdefault(at, _Comments())).add(one)
    return tuple(
        finding
        for finding in findings
        if not everywhere.silence(finding)
        and not by_statement.get(statements.around(finding.place.row), nowhere).silence(finding)
    )


def suppressions(text: str) -> tuple[list[Suppression], Statements]:
    """All that comments of a text say, in order, and the statements that they can speak of."""
    if not _ANY.search(text):
        return [], Statements(())
    comments, statements = layout(text)
    return [one for comment in comments for one in said(comment)], statements


def said(comment: Comment) -> Iterator[Suppression]:
    """Yield the suppressions in a comment; one comment may speak to flake8, to us, or to both."""
    if noqa := _NOQA.search(comment.text):
        words, spans = _words(noqa, "codes")
        end = spans[-1][1] if spans else noqa.end()
        yield Suppression(comment, (noqa.start(), end), words, spans, prefixes=True)
    for ours in _OURS.finditer(comment.text):
        whole_file = ours["verb"].lower() == "ignore-file"
        yield Suppression(comment, ours.span(), *_words(ours, "words"), whole_file=whole_file)


def _words(found: re.Match[str], group: str) -> tuple[tuple[str, ...] | None, tuple[tuple[int, int], ...]]:
    """The words of a list, and where they stand; None where there is no list."""
    if found[group] is None:
        return None, ()
    every = list(_WORD.finditer(found.string, *found.span(group)))
    return tuple(word[0].upper() for word in every), tuple(word.span() for word in every)


# ---- where comments and statements are


class Statements:
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


def layout(text: str) -> tuple[list[Comment], Statements]:
    """The comments of a text with their rows, and its statements."""
    rows = texts.rows(text)
    lines = iter([*(f"{row}\n" for row in rows[:-1]), *rows[-1:]])
    comments: list[Comment] = []
    extents: list[tuple[int, int]] = []
    first = 0
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                comments.append(Comment(token.start[0], token.start[1] + 1, token.string))
            elif token.type == tokenize.NEWLINE and first:
                extents.append((first, token.start[0]))
                first = 0
            elif not first and token.type not in _BETWEEN:
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError):
        return _comments_by_sight(rows), Statements(())
    return comments, Statements(extents)


_BETWEEN = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def _comments_by_sight(rows: Sequence[str]) -> list[Comment]:
    """Return the apparent comments, row by row: for programs of a newer Python than this one can take apart."""
    every = ((number, _COMMENT.search(row)) for number, row in enumerate(rows, 1))
    return [Comment(number, seen.start() + 1, seen[0]) for number, seen in every if seen]
