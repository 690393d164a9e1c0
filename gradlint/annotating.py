"""Comments that silence what is found: `# noqa: CODES` at the end of each row with a finding.

What a file says is not touched: its syntax tree stays the same, and so do its encoding, newlines and all other bytes.
"""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter

from gradlint import fixes, kinds, suppression, texts
from gradlint.finding import Edit, Finding, Place
from gradlint.reading import MOST_CONFIGURED, read_regular, reason
from gradlint.report.entry import Entry, safe_name
from gradlint.rewriting import rewritten
from gradlint.run import Outcome
from gradlint.selection import OF_FILES
from gradlint.settings import Request
from gradlint.suppression import Comment, Statements
from gradlint.writing import FileChanged, replace_file

MOST_ROUNDS = 4
"""The most times that a run is made: a silenced finding may have hidden another, which is found the next time."""

Seen = tuple[int, int, int, int]
"""The stamp of a file by the system, which changes when the file does."""


class CannotAnnotate(Exception):
    """A file in which no comment can be put; the message says why."""


@dataclass(slots=True)
class Added:
    """The comments that were added: the number of rows, their files, and the reasons why others got none."""

    rows: int = 0
    files: set[str] = field(default_factory=set)
    problems: dict[str, None] = field(default_factory=dict)


def add_noqa(request: Request, lint: Callable[[Request], Outcome]) -> tuple[Outcome, Added]:
    """Silence all that a run finds, by comments in the files; what is found after that, and what was done."""
    added = Added()
    for _ in range(MOST_ROUNDS):
        listed = lint(replace(request, only_list=True)).files
        seen = {file: _seen(file) for file in map(os.path.abspath, listed)}
        outcome = lint(request)
        rows = added.rows
        if outcome.interrupted is None:
            _add(outcome.entries, seen, added)
        if added.rows == rows:
            break
    return outcome, added


def _add(entries: Iterable[Entry], seen: Mapping[str, Seen | None], added: Added) -> None:
    silenced = (entry for entry in entries if entry.finding.code not in OF_FILES)
    for filename, group in groupby(silenced, key=attrgetter("filename")):
        found = list(group)
        name = safe_name(found[0].path)
        try:
            rows = _annotate(filename, [entry.finding for entry in found], seen.get(filename))
        except FileChanged:
            added.problems[f"{name} has changed since it was linted, so nothing was added; run it again"] = None
        except (CannotAnnotate, texts.CannotBeEdited, texts.Unreadable) as error:
            added.problems[f"nothing was added to {name}: {error}"] = None
        except (OSError, ValueError) as error:
            added.problems[f"nothing was added to {name}: {reason(error)}"] = None
        else:
            added.rows += rows
            added.files.update([filename] if rows else ())


def _seen(file: str) -> Seen | None:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _annotate(file: str, findings: Sequence[Finding], seen: Seen | None) -> int:
    """Silence findings in a file that is as it was seen; in how many rows. Raises what reading and writing do, and
    `CannotAnnotate`."""
    before = read_regular(file, MOST_CONFIGURED)
    if _seen(file) != seen:
        raise FileChanged(file)
    if rewritten(before, file, ()) != before:
        raise CannotAnnotate("its encoding does not lead back to its bytes")
    text = _program(before, file)
    edits = comments(text, findings)
    after = rewritten(before, file, edits)
    _check(text, _program(after, file), findings)
    if edits:
        replace_file(file, before, after)
    return len(edits)


def _program(data: bytes, name: str) -> str:
    """Return the program in a file, as it is linted."""
    return kinds.read(data, name, MOST_CONFIGURED).as_written(texts.fault)


# ---- in a text


def annotated(text: str, findings: Sequence[Finding]) -> tuple[str, int]:
    """A text in which comments silence findings, and how many rows were given one. Raises `CannotAnnotate`."""
    edits = comments(text, findings)
    made = fixes.with_edits(text, edits)
    _check(text, made, findings)
    return made, len(edits)


def comments(text: str, findings: Sequence[Finding]) -> tuple[Edit, ...]:
    """The edits of a text that give a comment to each row with a finding. Raises `CannotAnnotate`."""
    there, statements = suppression.layout(text)
    rows, by_row = fixes.Rows(text), {comment.row: comment for comment in there}
    codes: dict[int, set[str]] = {}
    try:
        for one in findings:
            row = _row_for(one.place.row, rows, by_row, statements)
            codes.setdefault(row, set()).add(one.code)
    except fixes.Impossible:
        raise CannotAnnotate("this Python cannot tell where its comments may stand; use a newer one") from None
    return tuple(_edit(row, sorted(codes[row]), rows.row(row), by_row.get(row)) for row in sorted(codes))


def _check(text: str, made: str, findings: Sequence[Finding]) -> None:
    """Raises `CannotAnnotate` where what was made of a text does not silence findings, or means something else."""
    if suppression.unsuppressed(made, findings) or _tree(made) != _tree(text):
        raise CannotAnnotate("no comment can silence what is found there")


def _row_for(row: int, rows: fixes.Rows, comments: Mapping[int, Comment], statements: Statements) -> int:
    """The row at whose end a comment silences what is found in a row: that itself, or the last of its statement."""
    ends_in_string = rows.in_strings(Place(row + 1, 1, row + 1, 1))
    resume_again = row not in comments and rows.row(row).endswith("\\")
    return statements.around(row)[1] if ends_in_string or resume_again else row


def _edit(row: int, codes: Sequence[str], line: str, comment: Comment | None) -> Edit:
    """Return the edit that puts codes at the end of a row, into the list that is there if there is one."""
    there = next((one for one in suppression.said(comment) if one.prefixes and one.words), None) if comment else None
    if there is not None and comment is not None:
        at = comment.column + there.span[1]
        return Edit(Place(row, at, row, at), "".join(f", {code}" for code in codes))
    kept = line.rstrip(" \t")
    return Edit(Place(row, len(kept) + 1, row, len(line) + 1), f"  # noqa: {', '.join(codes)}")


def _tree(text: str) -> str:
    """The syntax tree of a text, without its places."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.dump(ast.parse(text.removeprefix(texts.BOM)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise CannotAnnotate("this Python cannot parse it, so nobody could tell what a comment changes") from None
