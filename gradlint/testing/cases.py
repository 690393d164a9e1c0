"""Case files: more lines for a rule than its page can hold, each saying what must be reported there.

A case file is named after its rule (`integer_requires_grad.py` for `integer-requires-grad`) and marks lines:

    # GRD101          reported here, with this code (several: `# GRD101 GRD205`)
    # ok: why         the rule of the file heard something here, judged it, and is quiet
    # todo GRD101     a known miss: the test turns red when it begins to be reported
    # todo ok: why    a known false report of the file's rule: the test turns red when it is gone

The rule of the file reports nothing on any other line. The tests of a pack with its case files in `cases`:

    from gradlint.testing.cases import case_tests

    test_line, test_unmarked, test_file = case_tests(Path(__file__).parent / "cases")
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gradlint.linter import analyse, shown
from gradlint.proving.examples import comments
from gradlint.registry import rules
from gradlint.rule import LIKELY, Rule

MARKER = re.compile(r"#\s*(?P<todo>todo\s+)?(?:(?P<ok>ok)\b(?::\s*(?P<why>.*\S))?|(?P<codes>[A-Z]{3}\d{3}(?:\s+[A-Z]{3}\d{3})*))\s*$")
FEWEST = 8

Test = Callable[..., None]


@dataclass(frozen=True, slots=True)
class CaseLine:
    """A marked line: `codes` are those it speaks of (none for `ok`: it speaks of the file's rule)."""

    row: int
    codes: tuple[str, ...]
    todo: bool
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A case file, its rule, its marked lines, and what came of it: the rows at which each code was reported
    and the rows at which the file's rule heard something."""

    path: Path
    rule: Rule
    lines: tuple[CaseLine, ...]
    reported: frozenset[tuple[int, str]]
    heard: frozenset[int]


def marked_lines(text: str) -> tuple[CaseLine, ...]:
    """The marked lines of a text."""
    rows = text.splitlines()
    found = []
    for row, comment in comments(text):
        if said := MARKER.match(comment):
            codes = tuple((said["codes"] or "").split())
            found.append(CaseLine(row, codes, bool(said["todo"]), said["why"] or "", rows[row - 1]))
    return tuple(found)


def read(path: Path, every: tuple[Rule, ...]) -> CaseFile:
    """Read and analyse a case file under the default rules and its own, at the default confidence."""
    rule = next((rule for rule in every if rule.name.replace("-", "_") == path.stem), None)
    if rule is None:
        raise LookupError(f"{path}: no installed rule is named `{path.stem.replace('_', '-')}`; name the file after its rule")
    text = path.read_text(encoding="utf-8")
    judges = [judge for judge in every if judge.default or judge is rule]
    analysis = analyse(text, judges, positions=True)
    reported = frozenset((f.place.row, f.code) for f in shown(analysis.findings, judges, LIKELY))
    heard = frozenset(place.row for code, place in analysis.heard if code == rule.code)
    return CaseFile(path, rule, marked_lines(text), reported, heard)


# ---- laws


def failing(case: CaseFile, line: CaseLine) -> str:
    """Why a marked line does not hold; empty where it does."""
    where = f"{case.path.name}:{line.row}"
    if not line.codes:
        return _failing_ok(case, line, where)
    for code in line.codes:
        reported = (line.row, code) in case.reported
        if line.todo and reported:
            return f"{where}: {code} is reported now; take `todo` away"
        if not line.todo and not reported:
            return f"{where}: {code} is not reported"
    return ""


def _failing_ok(case: CaseFile, line: CaseLine, where: str) -> str:
    reported = (line.row, case.rule.code) in case.reported
    if line.todo:
        return "" if reported else f"{where}: nothing is reported here any more; take `todo` away"
    if reported:
        return f"{where}: {case.rule.code} is reported"
    if not line.why:
        return f"{where}: say why it is right: `# ok: why`"
    if line.row not in case.heard:
        return f"{where}: {case.rule.code} heard nothing here, so its silence says nothing"
    return ""


def unmarked(case: CaseFile) -> str:
    """Which rows the file's rule reports that no marker speaks of; empty if none."""
    said = {line.row for line in case.lines}
    rows = sorted(row for row, code in case.reported if code == case.rule.code and row not in said)
    return "; ".join(f"{case.path.name}:{row}: {case.rule.code} is reported, and not marked" for row in rows)


def lacking(lines: tuple[CaseLine, ...]) -> str:
    """What the marked lines of a file lack: enough of them, enough traps, enough difference; empty if nothing."""
    sure = [line for line in lines if not line.todo]
    quiet = [line for line in sure if not line.codes]
    if len(sure) < FEWEST:
        return f"{len(sure)} marked lines, fewer than {FEWEST}"
    if 2 * len(quiet) < len(sure):
        return f"{len(quiet)} of {len(sure)} marked lines are `# ok`, fewer than half"
    shapes: dict[tuple[tuple[str, ...], bool], CaseLine] = {}
    for line in lines:
        other = shapes.setdefault((shape(line.source), not line.codes), line)
        if other is not line:
            return f"lines {other.row} and {line.row} differ in names alone"
    return ""


def shape(line: str) -> tuple[str, ...]:
    """The tokens of a line with the names of variables replaced: attributes and keywords of calls say what is done."""
    tokens: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(line.strip()).readline):
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER):
                continue
            is_variable = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
            tokens.append("name" if is_variable and tokens[-1:] != ["."] else token.string)
    except (tokenize.TokenError, IndentationError):
        pass
    return tuple(tokens)


# ---- tests


def case_tests(folder: Path) -> tuple[Test, Test, Test]:
    """Three parametrised tests over the case files of a folder: each marked line, the unmarked ones, each file."""
    paths = sorted(folder.glob("*.py"))
    if not paths:
        raise LookupError(f"there are no case files in {folder}")
    lines = [(path, line) for path in paths for line in marked_lines(path.read_text(encoding="utf-8"))]

    @_over(("path", "line"), lines, [f"{path.stem}:{line.row}" for path, line in lines])
    def test_line(path: Path, line: CaseLine) -> None:
        """A marked line is reported, or heard and not reported, as it says."""
        assert not failing(_read(path), line)

    @_over("path", paths, [path.stem for path in paths])
    def test_unmarked(path: Path) -> None:
        """The rule of the file reports nothing that is not marked."""
        assert not unmarked(_read(path))

    @_over("path", paths, [path.stem for path in paths])
    def test_file(path: Path) -> None:
        """A case file compiles, and has enough lines, traps and difference."""
        text = path.read_text(encoding="utf-8")
        compile(text, str(path), "exec")
        assert not lacking(marked_lines(text))

    return test_line, test_unmarked, test_file


@cache
def _read(path: Path) -> CaseFile:
    return read(path, rules())


def _over(names: Any, values: Any, ids: list[str]) -> Callable[[Test], Test]:
    mark: Any = pytest.mark.parametrize(names, values, ids=ids)
    return mark  # type: ignore[no-any-return]
