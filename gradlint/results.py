"""Results: what comes of each file, and what the files of a run lead to in each other."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import overload

from gradlint import kinds, showing, texts
from gradlint.files import displayed
from gradlint.finding import CALLED, HERE, LATER, RAISES, Confidence, Finding, Note, Place, Question, Sign
from gradlint.frozen import frozen, replace
from gradlint.reading import MOST_CONFIGURED, TooLarge, read_regular, reason
from gradlint.report.entry import Entry, safe_name
from gradlint.resolving import Resolver, View
from gradlint.selection import NOT_LINTED, UNREADABLE, UNUSED, Selectable
from gradlint.settings import Settings
from gradlint.suppression import unsuppressed
from gradlint.unused import Judge, Silenced, warnings
from gradlint.versions import holds

STDIN = "-"
"""The path that stands for stdin; its text is called so where it has no other name."""


@frozen()
class Result:
    """The result for one file: its findings in order, those in other files that it leads to (`elsewhere`), the
    `traceback` of an error of ours that kept us from them, and the files that it imports and that could not be read
    (`unread`), with the reason. What comments silence, of whatever confidence, is `silenced`, and `unknown` are the
    words in suppressions that name no rule, with their rows. It took so many CPU `seconds`; None where it was
    remembered. It is not `whole` where not all of the file was linted."""

    path: str
    filename: str
    findings: tuple[Finding, ...] = ()
    lines: Sequence[str] = field(default=(), compare=False)
    traceback: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    elsewhere: tuple[Finding, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    silenced: tuple[Silenced, ...] = ()
    unknown: tuple[tuple[int, str], ...] = ()
    seconds: float | None = 0.0
    whole: bool = True

    def entries(self) -> Iterator[Entry]:
        """The findings as reports take them."""
        return (Entry(finding, self.path, self.filename, self.lines, self.source_map) for finding in self.findings)

    def source_map(self, path: str) -> texts.SourceMap:
        """Return the source map of a file's rows; nothing is the path of this one."""
        rows = Rows.of(path) if path not in ("", self.filename) else self.lines
        return rows.source_map if isinstance(rows, Rows) else texts.IDENTITY

    def told(self) -> Iterator[str]:
        """The file in a line, and in one each the files that are missing from what is known of it."""
        took = "as remembered" if self.seconds is None else f"{self.seconds:.2f} s"
        name = safe_name(self.path)
        yield f"{name}: {', '.join([took, *(f'{number} {what}' for what, number in self.counts)])}"
        for path, why in self.unread:
            yield f"{name}: imports {safe_name(displayed(path))}, which cannot be read: {why}"

    def warnings(self, rules: Sequence[Selectable]) -> Iterator[str]:
        """A line about each word in its suppressions that names no rule."""
        if not self.unknown:
            return iter(())
        placed = self.source_map("")
        return warnings(safe_name(self.path), [(placed.written(row), word) for row, word in self.unknown], rules)

    @property
    def program(self) -> str:
        """Return the program that was linted, as far as comments in it are asked for."""
        return self.lines.program if isinstance(self.lines, Rows) else "\n".join(self.lines)


class Rows(Sequence[str]):
    """The rows of what was linted, read when one is asked for; none where it cannot be read any more."""

    def __init__(self, read: Callable[[], bytes], name: str = "") -> None:
        """`name` says what kind of file it is."""
        self.read, self.name = read, name

    @classmethod
    def of(cls, file: str) -> Rows:
        """The rows of a file."""
        return cls(lambda: read_regular(file, MOST_CONFIGURED), file)

    @property
    def source_map(self) -> texts.SourceMap:
        """Return the source map of the rows."""
        return self.text.source_map if kinds.is_mapped(self.name) else texts.IDENTITY

    @property
    def program(self) -> str:
        """The program that the rows are, or that a part of each is."""
        return self.text.as_written(texts.fault) if kinds.is_mapped(self.name) else "\n".join(self._rows)

    @cached_property
    def _rows(self) -> list[str]:
        return texts.rows(self.text.shown)

    @cached_property
    def text(self) -> texts.Text:
        """Return the text that was linted."""
        try:
            data = self.read()
        except (OSError, ValueError):
            return texts.of_python("")
        try:
            return kinds.read(data, self.name, MOST_CONFIGURED)
        except texts.Unreadable:
            return texts.of_python(data.decode("utf-8", "replace"))

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        return self._rows[at]

    def __len__(self) -> int:
        return len(self._rows)


# ---- what files lead to in each other


class Together:
    """The results of a run, in which each finding is to stand in its file, where that is `linted`, else at the call
    that leads there: once, the best believed of all ways to it. What silences nothing is told where it is asked for,
    unless the run is not `complete`."""

    def __init__(self, linted: Container[str], settings: Settings, project: Resolver, *, complete: bool = True) -> None:
        self._linted, self._settings, self._project = linted, settings, project
        self._more: dict[str, list[Finding]] = {}
        self._silenced: dict[str, list[Silenced]] = {}
        self._complete, self._cut, self._below_cut = complete, list[str](), set[str]()

    def add(self, result: Result) -> None:
        """Note what a file of the run, or one that calls what is in those, leads to in others."""
        for one in result.silenced:
            self._silenced.setdefault(one.path or result.filename, []).append(one)
        if not result.whole:
            self._cut.append(result.filename)
        for finding in result.elsewhere:
            if not _is_wanted(finding, self._settings, self._project):
                continue
            if finding.path in self._linted:
                self._more.setdefault(finding.path, []).append(replace(finding, path=""))
            elif result.filename in self._linted and finding.code in self._settings.codes(result.filename):
                told = at_the_call(finding, result.filename, f"{displayed(finding.path)}:{finding.place.row}")
                self._more.setdefault(result.filename, []).extend(unsuppressed(result.program, told))

    def whole(self, result: Result) -> Result:
        """The result of a file, with the findings that all that were noted lead to in it, and those about suppressions
        that silence none of them."""
        more = self._more.get(result.filename, ())
        return _with_unused(_with_more(result, more, self._settings), self._unused(result))

    def _unused(self, result: Result) -> tuple[Finding, ...]:
        """Return the unused suppressions; none of a file that was not linted whole, or whose caller was not."""
        file, settings = result.filename, self._settings
        asked = settings.codes(file)
        if UNUSED.code not in asked or not (self._complete and result.whole) or self._is_called_by_cut(file):
            return ()
        judge = Judge(asked, [rule for rule in settings.every if holds(rule, settings.known(file).version)])
        told = judge.unused(result.program, self._silenced.get(file, ()))
        return with_fixes_for(result.lines.text, told) if isinstance(result.lines, Rows) else told

    def _is_called_by_cut(self, file: str) -> bool:
        while self._cut:
            self._below_cut.update(self._project.at(self._cut.pop()).reached())
        return file in self._below_cut


def together(
    results: Sequence[Result],
    settings: Settings,
    project: Resolver,
    callers: Sequence[Result] = (),
    *,
    complete: bool = True,
) -> list[Result]:
    """The results of a run with what they, and `callers` of theirs, lead to in each other."""
    found = Together({result.filename for result in results}, settings, project, complete=complete)
    for result in (*results, *callers):
        found.add(result)
    return [found.whole(result) for result in results]


def _is_wanted(finding: Finding, settings: Settings, project: Resolver) -> bool:
    """Return whether a finding in another file than the linted one is to be reported, as far as that file says."""
    file = finding.path
    kept = (finding,) if settings.wants(finding, file) else ()
    return bool(kept and unsuppressed(project.text(file) or "", run_as_it_stands(kept, project.at(file))))


def _with_more(result: Result, more: Sequence[Finding], settings: Settings) -> Result:
    """A result with findings that the other files of the run lead to."""
    if not more:
        return result
    every = sorted((*result.findings, *more), key=lambda one: (one.place, one.code))
    return replace(result, findings=showing.shown(every, settings.every, Confidence.POSSIBLE))


def _with_unused(result: Result, unused: tuple[Finding, ...]) -> Result:
    """A result with what is said of its suppressions."""
    if not unused:
        return result
    return replace(result, findings=tuple(sorted((*result.findings, *unused), key=lambda one: (one.place, one.code))))


def with_fixes_for(text: texts.Text, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings with those of their fixes that the file of a text can take."""
    if text.source_map is texts.IDENTITY:
        return findings
    return tuple(
        replace(one, fixes=tuple(fix for fix in one.fixes if texts.can_take(text, fix.edits))) if one.fixes else one
        for one in findings
    )


def as_recovered(finding: Finding, recovered: frozenset[int]) -> Finding:
    """A finding as it may be believed where its row, or that of a note, is recovered from what Python refuses, or where
    it was found in another file on the way from such rows: nobody fixes that by itself."""
    rows = {finding.place.row, *(note.place.row for note in finding.notes if not note.path)}
    if not recovered or (not finding.path and recovered.isdisjoint(rows)):
        return finding
    signs, confidence = (*finding.signs, _RECOVERED), max(finding.confidence, Confidence.LIKELY)
    return replace(finding, confidence=confidence, signs=signs, fixes=())


_RECOVERED = Sign(Question.THING, Confidence.LIKELY, "rows of the program that Python refuses are passed over")


def at_the_call(finding: Finding, linted: str, where: str) -> list[Finding]:
    """A finding of another file as it is told of the linted one: at the call that leads there, if that is known.
    `where` is how the other place is written."""
    calls = [note.place for note in finding.notes if (note.path, note.text) == (linted, CALLED)]
    rest = [note for note in finding.notes if (note.path, note.text) != (linted, CALLED)]
    notes = [replace(note, path=_seen_from(linted, note.path or finding.path)) for note in rest]
    there = Note(finding.place, finding.message, finding.path)
    message = f"{where}: {finding.message}"
    return [
        replace(finding, message=message, place=call, notes=(there, *notes), path=HERE, fixes=()) for call in calls[:1]
    ]


def _seen_from(linted: str, path: str) -> str:
    return "" if path == linted else path


def run_as_it_stands(findings: tuple[Finding, ...], project: View | None) -> tuple[Finding, ...]:
    """Without what would raise in a file that is but the source of a generated one."""
    kept = tuple(one for one in findings if one.consequence not in (RAISES, LATER))
    return kept if len(kept) < len(findings) and project is not None and project.is_template() else findings


def ordered(results: Iterable[Result]) -> list[Result]:
    """Results by path, in the order in which they are reported."""
    return sorted(results, key=lambda result: result.path)


def unreadable(message: str, row: int = 1, column: int = 1) -> Finding:
    """The finding that stands for a file that could not be linted."""
    return Finding(UNREADABLE.code, UNREADABLE.name, message, Place(row, column, row, column))


def cannot_be_listed(why: str) -> Finding:
    """The finding that stands for a folder whose files cannot be had."""
    return unreadable(f"the folder cannot be listed: {why}")


def cannot_be_read(error: OSError | ValueError) -> Finding:
    """The finding that stands for a file whose bytes cannot be had."""
    if isinstance(error, TooLarge):
        return not_linted(reason(error).removeprefix("it is "))
    return unreadable(f"cannot be read: {reason(error)}")


def not_linted(message: str, row: int = 1, column: int = 1) -> Finding:
    """The finding that stands for a file that gradlint gave up on."""
    return Finding(NOT_LINTED.code, NOT_LINTED.name, message, Place(row, column, row, column))


def one_line(error: BaseException) -> str:
    """Return the name and message of an error; its name alone where it cannot say more, as errors of LibCST cannot that
    show all of a deep tree."""
    try:
        said = " ".join(str(error).split())
    except Exception:
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
