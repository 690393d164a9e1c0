"""The way from an error to the mistake: the rules that lead to it, and the finding at the line it came through."""

from __future__ import annotations

import builtins
import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from gradlint import planning, run
from gradlint.files import SUFFIXES, here
from gradlint.finding import LATER, Confidence, Finding
from gradlint.frozen import frozen
from gradlint.knowledge import errors
from gradlint.limits import cores
from gradlint.report.entry import Entry
from gradlint.results import Rows
from gradlint.rule import Raises, Rule, Warns
from gradlint.settings import Request
from gradlint.tracebacks import Frame, Raised, passages, raised

MOST_FILES = 10
"""The most files of a traceback that are linted, the innermost first."""
MOST_FOLDERS = 20
"""The most folders of a path that are looked at."""
_INSTALLED = frozenset({"site-packages", "dist-packages"})


@frozen()
class Explanation:
    """The error that was explained, the rules whose mistakes lead to it, the likeliest first, and the findings that
    say where one was made."""

    raised: Raised
    rules: tuple[Rule, ...]
    entries: tuple[Entry, ...] = ()


def explain(text: str, rules: Sequence[Rule], load: Callable[[], planning.Installation]) -> Explanation | None:
    """Explain the last error in a text of which some rule tells; None where there is none. Raises `run.Refused`."""
    for error in _errors(text):
        if told := telling(error, rules):
            entries = _found(error, told, load)
            first = dict.fromkeys(entry.finding.code for entry in entries)
            order = [*first, *(rule.code for rule in told if rule.code not in first)]
            return Explanation(error, tuple(sorted(told, key=lambda rule: order.index(rule.code))), entries)
    return None


def _errors(text: str) -> Iterator[Raised]:
    """Yield the possible errors, the last first: what is named as one, then what any lines say."""
    yield from reversed(raised(text))
    for passage in passages(text):
        yield Raised("", passage)


# ---- rules


def telling(error: Raised, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules whose mistakes lead to an error, the likeliest first: in the order of the first row that speaks of it,
    then those whose evidence shows it."""
    shown = "\n".join(frame.text for frame in error.frames)
    row = next((row for row in errors.ROWS if _is_of(error, row.error) and row.tells_of(error.message, shown)), None)
    codes = [] if row is None else list(row.codes)
    rest = [rule for rule in rules if rule.code not in codes and _shows(rule, error)]
    rest.sort(key=lambda rule: (not rule.default, not _fits(rule.consequence, error), rule.code))
    known = {rule.code: rule for rule in rules}
    return (*(known[code] for code in codes if code in known), *rest)


def _shows(rule: Rule, error: Raised) -> bool:
    """Return whether the evidence of a rule shows an error."""
    return any(_fits(each, error) for each in (rule.consequence, *(given.shows for given in rule.evidence)))


def _fits(consequence: object, error: Raised) -> bool:
    if isinstance(consequence, Raises):
        wanted, saying = consequence.error.__name__, consequence.saying
    elif isinstance(consequence, Warns):
        wanted, saying = "Warning", consequence.saying
    else:
        return False
    return saying not in errors.PYTHONS and saying in error.message and _is_of(error, wanted)


def _is_of(error: Raised, wanted: str) -> bool:
    """Return whether an error may be of a kind: unknown errors of libraries are, for others are wrapped in them."""
    if not error.name or error.name == wanted:
        return True
    if wanted == "Warning" or error.name.endswith("Warning"):
        return error.name.endswith(wanted)
    kind, other = getattr(builtins, error.name, None), getattr(builtins, wanted, None)
    return not isinstance(kind, type) or not isinstance(other, type) or issubclass(kind, other)


# ---- findings


def _found(error: Raised, rules: Sequence[Rule], load: Callable[[], planning.Installation]) -> tuple[Entry, ...]:
    """The findings of these rules at the places that an error came through, or with a note there, innermost first; then
    those in the same files that raise at another line than their own."""
    frames = list(_own(reversed(error.frames)))
    files = tuple(dict.fromkeys(file for file, _ in frames))[:MOST_FILES]
    if not files:
        return ()
    codes = tuple(rule.code for rule in rules)
    request = Request(files, select=codes, min_confidence=Confidence.POSSIBLE, jobs=cores())
    entries = [entry for entry in run.lint(request, load).entries if entry.finding.code in codes]
    at = [entry for frame in frames for entry in entries if _leads_to(entry, *frame)]
    later = [entry for entry in entries if entry.finding.consequence == LATER]
    return tuple(dict.fromkeys((*at, *later)))


def _leads_to(entry: Entry, file: str, row: int) -> bool:
    """Return whether a finding stands at a row of a file or points there."""
    return any(path == file and first <= row <= last for path, first, last in _extents(entry.finding, entry.filename))


def _extents(finding: Finding, filename: str) -> Iterator[tuple[str, int, int]]:
    yield filename, finding.place.row, finding.place.end_row
    for note in finding.notes:
        yield note.path or filename, note.place.row, note.place.end_row


def _own(frames: Iterable[Frame]) -> Iterator[tuple[str, int]]:
    """The places of a traceback in files below the current folder."""
    for frame in frames:
        if (file := own_file(frame)) is not None:
            yield file, frame.row


def own_file(frame: Frame) -> str | None:
    """The file below the current folder that a frame is in. Of a path of another machine or folder the longest end that
    is one here, whose row is the one that the traceback shows."""
    folder = here()
    path = frame.file.replace("\\", "/") if os.sep == "/" else frame.file
    if path.startswith(f"{folder}{os.sep}"):
        path = path[len(folder) :]
    parts = [part for part in path.replace(os.sep, "/").split("/") if part not in ("", ".", "~")]
    if not parts or ".." in parts or not _INSTALLED.isdisjoint(parts) or not path.endswith(SUFFIXES) or "\0" in path:
        return None
    if parts[0].endswith(":"):
        parts = parts[1:]
    for first in range(max(0, len(parts) - MOST_FOLDERS), len(parts)):
        file = os.path.join(folder, *parts[first:])
        if _is_below(file, folder) and os.path.isfile(file) and _agrees(file, frame):
            return file
    return None


def _is_below(file: str, folder: str) -> bool:
    """Return whether a file lies in a folder, links followed."""
    return os.path.realpath(file).startswith(os.path.join(os.path.realpath(folder), ""))


def _agrees(file: str, frame: Frame) -> bool:
    """Return whether the row of the frame says what the traceback shows of it."""
    rows = Rows.of(file)
    return 0 < frame.row <= len(rows) and frame.text in ("", rows[frame.row - 1].strip())
