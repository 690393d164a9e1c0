"""From paths to results: every file is read, analysed and told about, whatever happens to the others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradlint import linter, source
from gradlint.finding import Confidence, Finding, Place
from gradlint.report.entry import Entry
from gradlint.rule import Rule


@dataclass(frozen=True, slots=True)
class Request:
    """What to lint, and how. What is None or empty is left to the configuration."""

    paths: tuple[str, ...] = ()
    stdin: bytes = b""
    stdin_filename: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    min_confidence: Confidence | None = None
    config: str | None = None
    isolated: bool = False
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool | None = None
    only_list: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a request: `entries` in the order of the report, `files` that were looked at, `problems` that make
    the run a failure whatever was found, and `told`: a line about each file, for those who ask."""

    entries: tuple[Entry, ...]
    files: tuple[str, ...]
    problems: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    output_format: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one file: its findings in order, or the `fault` of ours that kept us from them (one line)."""

    path: str
    filename: str
    findings: tuple[Finding, ...] = ()
    lines: tuple[str, ...] = ()
    fault: str = ""
    counts: tuple[tuple[str, int], ...] = ()

    def entries(self) -> Iterator[Entry]:
        """The findings as reports take them."""
        return (Entry(finding, self.path, self.filename, self.lines) for finding in self.findings)


def lint(request: Request, rules: Sequence[Rule]) -> Outcome:
    files: list[Path] = []
    problems: list[str] = []
    for path in map(Path, request.paths or (".",)):
        if path.is_dir():
            files += path.rglob("*.py")
        elif path.exists():
            files.append(path)
        else:
            problems.append(f"{path}: no such file or directory")
    files = list({os.path.abspath(f): f for f in files}.values())
    least = request.min_confidence if request.min_confidence is not None else Confidence.LIKELY
    if request.select and request.select != ("ALL",):
        rules = tuple(r for r in rules if r.code in request.select)
    results = ordered(lint_file(f, rules, least) for f in files)
    problems += [f"{result.path}: internal error: {result.fault}" for result in results if result.fault]
    return Outcome(
        tuple(entry for result in results for entry in result.entries()),
        tuple(result.path for result in results),
        tuple(problems),
    )


def displayed(path: str | os.PathLike[str]) -> str:
    """How a file is named in reports: from the current folder where it is below it, else in full."""
    return os.path.abspath(path).removeprefix(os.path.join(os.getcwd(), ""))


def ordered(results: Iterable[Result]) -> list[Result]:
    """Results by path, in the order in which they are reported."""
    return sorted(results, key=lambda result: result.path)


def lint_file(path: Path, rules: Sequence[Rule], min_confidence: Confidence) -> Result:
    """Read a file and lint it."""
    shown, filename = displayed(path), os.path.abspath(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        return Result(shown, filename, (unreadable(f"cannot be read: {error.strerror or error}"),))
    return lint_bytes(data, shown, filename, rules, min_confidence)


def lint_bytes(data: bytes, path: str, filename: str, rules: Sequence[Rule], min_confidence: Confidence) -> Result:
    """Lint what a file holds."""
    try:
        text = source.decode(data)
        found = linter.analyse(text, rules)
        findings = linter.shown(found.findings, rules, min_confidence)
        return Result(path, filename, findings, tuple(source.rows(text)), counts=found.counts)
    except source.Unreadable as error:
        return Result(path, filename, (unreadable(error.message, error.row, error.column),))
    except Exception as error:
        return Result(path, filename, fault=_one_line(error))


def unreadable(message: str, row: int = 1, column: int = 1) -> Finding:
    """The finding that stands for a file that could not be linted."""
    return Finding("GRD000", "unreadable-file", message, Place(row, column, row, column))


def _one_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
