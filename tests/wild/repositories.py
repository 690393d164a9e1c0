"""Repositories of people who do research or teach, and what readers found in them before gradlint was run on them.

`repositories.toml` pins them, `missed.csv` holds each real mistake that a reader saw, `right.csv` each place that looks
like one and is right. Nothing of a repository is kept here but where something stands, and why. What is changed in
gradlint because of a repository is changed because of those that are `for_mending`; the others are left for measuring.

A cell of a notebook is a path of its own, `name.ipynb:cell 3`, whose lines are those of the cell.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from gradlint import engine, registry, settings
from gradlint.finding import Place
from gradlint.queries import MARKERS
from gradlint.report.entry import Entry
from gradlint.selection import UNREADABLE

from .linting import Found

HERE = Path(__file__).parent
LIST, MISSED, RIGHT = (HERE / name for name in ("repositories.toml", "missed.csv", "right.csv"))
NAME, COMMIT = re.compile(r"[\w.-]+/[\w.-]+"), re.compile(r"[0-9a-f]{40}")
NOTEBOOKS = ("*.ipynb",)
"""What no reader has looked at, but where the list says so."""
DEGREES = ("certain", "likely")
CELL = ":cell "
"""What stands in the path of a cell between that of its notebook and its number."""
NO_RULE = "none"
"""The code of a mistake that no rule is about."""
NEAR = 5
"""How many lines a finding may stand from where the reader put the mistake: the cure of one may take a few lines."""


CALLED_HERE = "called here"
"""How a note begins at a call of the function in which a finding stands, or at one that it speaks for as well."""


class BadLabels(Exception):
    """A file of labels is not what it should be; the message says in which row."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository at a commit, and whether its `notebooks` were read as well."""

    name: str
    commit: str
    notebooks: bool = False

    @property
    def folder(self) -> str:
        """What its folder among the checkouts is called."""
        return self.name.replace("/", "+")

    @property
    def for_mending(self) -> bool:
        """Whether it may be looked at when gradlint is changed, as a hash of its name decides."""
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 0


@dataclass(frozen=True, slots=True, order=True)
class Label:
    """What a reader saw at a line: a mistake of a degree, or a place that is right (`degree` is empty)."""

    repository: str
    path: str
    line: int
    code: str
    degree: str
    reason: str

    def is_met_by(self, found: Found) -> bool:
        """Whether a finding is about this place: one of the label's rule, or of one to which that yields, which stands
        here, or leads here. From another file any note leads here; in the same file one by which the rule itself says
        that the mistake is made here as well: a call of the function in which the finding stands, or one that is cured
        with it, or where the label's rule would have spoken if it did not yield."""
        if found.package != self.repository or found.code not in (self.code, *_yields_to().get(self.code, ())):
            return False
        leading = [(path, line) for path, line, text in found.noted if found.path != self.path or self._is_led_by(text)]
        return any(
            path == self.path and abs(line - self.line) <= NEAR for path, line in ((found.path, found.line), *leading)
        )

    def _is_led_by(self, note: str) -> bool:
        """Whether a note says that the mistake is made where it points."""
        return note.startswith(CALLED_HERE) or note.endswith(f"({self.code})")


@cache
def _yields_to() -> dict[str, tuple[str, ...]]:
    """The rules that speak in place of each where both have something to say of one mistake."""
    return {rule.code: rule.yields_to for rule in registry.rules()}


def repositories(text: str | None = None) -> tuple[Repository, ...]:
    """The repositories of a list, by default ours. Raises `BadLabels`."""
    entries = tomllib.loads(LIST.read_text() if text is None else text).get("repository", [])
    found = tuple(
        Repository(entry.get("name", ""), entry.get("commit", ""), entry.get("notebooks", False)) for entry in entries
    )
    for one in found:
        if not NAME.fullmatch(one.name) or not COMMIT.fullmatch(one.commit):
            raise BadLabels(f"{one}: it has no name of the form owner/name, or is pinned to no commit")
    if len({one.name for one in found}) < len(found):
        raise BadLabels("a repository stands there twice")
    return found


def mistakes(text: str | None = None) -> tuple[Label, ...]:
    """What readers missed in gradlint's place. Raises `BadLabels`."""
    columns = ("repository", "path", "line", "code", "degree", "reason")
    return tuple(_labels(MISSED.read_text() if text is None else text, columns))


def right_places(text: str | None = None) -> tuple[Label, ...]:
    """The places that readers saw to be right. Raises `BadLabels`."""
    return tuple(_labels(RIGHT.read_text() if text is None else text, ("repository", "path", "line", "code", "reason")))


def _labels(text: str, columns: Sequence[str]) -> Iterator[Label]:
    rows = list(csv.reader(io.StringIO(text), strict=True))
    if not rows or tuple(rows[0]) != tuple(columns):
        raise BadLabels(f"the columns are not {', '.join(columns)}")
    for number, (row, after) in enumerate(pairwise([*rows[1:], []]), 2):
        if len(row) != len(columns) or not row[2].isdecimal() or not row[-1].strip():
            raise BadLabels(f"row {number} does not hold {', '.join(columns)}: {','.join(row)}")
        if after and (row[0], row[1], int(row[2]), row[3:]) >= (after[0], after[1], int(after[2]), after[3:]):
            raise BadLabels(f"row {number} is not sorted before the next")
        label = Label(row[0], row[1], int(row[2]), row[3], row[4] if "degree" in columns else "", row[-1])
        if "degree" in columns and label.degree not in DEGREES:
            raise BadLabels(f"row {number}: the degree is none of {', '.join(DEGREES)}: {label.degree!r}")
        yield label


def lint(repository: Repository, checkouts: Path) -> tuple[tuple[Found, ...], tuple[str, ...]]:
    """What the command says of a repository that lies among the checkouts: the findings, and what it gave up on. A cell
    that does not parse is its author's fault, and no reason to give up on the others; a checkout without its `.git` is
    no project, but one for each of its folders."""
    folder = checkouts / repository.folder
    request = settings.Request(
        paths=(str(folder),), isolated=True, extend_exclude=() if repository.notebooks else NOTEBOOKS
    )
    outcome = engine.lint(request, registry.rules(), registry.packs())
    codes = {rule.code for rule in registry.rules()}
    found, faults = set[Found](), list(outcome.problems)
    if not any((folder / name).exists() for name in MARKERS):
        faults.append(f"{repository.name}: its checkout has no `.git`, so what its files import is not found")
    for entry in outcome.entries:
        finding, (path, row) = entry.finding, _stands(entry, entry.finding.place, folder)
        if finding.code in codes:
            noted = tuple((*_stands(entry, note.place, folder, note.path), note.text) for note in finding.notes)
            found.add(Found(repository.name, path, row, finding.code, finding.message, noted))
        elif finding.code != UNREADABLE.code or CELL not in path:
            faults.append(f"{repository.name}: {path}: {finding.message}")
    return tuple(sorted(found)), tuple(faults)


def _stands(entry: Entry, place: Place, folder: Path, path: str = "") -> tuple[str, int]:
    """The file in which a place of a finding stands, or the cell, and the row."""
    name = Path(path or entry.filename).relative_to(folder.resolve()).as_posix()
    cell, there = entry.located(place, path)
    return (name if cell is None else f"{name}{CELL}{cell}"), there.row


@dataclass(frozen=True, slots=True)
class Met:
    """Labels beside findings: the mistakes that were found and those that were not, the right places that are
    reported, and the findings of which no mistake is labelled; those that `meant` one, and those of the others that
    are `alarms` at a right place."""

    found: tuple[Label, ...]
    missed: tuple[Label, ...]
    flagged: tuple[Label, ...]
    others: tuple[Found, ...]
    meant: tuple[Found, ...] = ()
    alarms: tuple[Found, ...] = ()

    @property
    def recall(self) -> str:
        """How many of the mistakes are found, of those that are certain and in all."""
        every = (*self.found, *self.missed)
        certain = [one.degree == DEGREES[0] for one in every]
        found = sum(one.degree == DEGREES[0] for one in self.found)
        return f"{len(self.found)} of {len(every)} mistakes ({found} of {sum(certain)} certain ones)"

    def table(self) -> Iterator[str]:
        """How many mistakes of each code are found, in lines."""
        found, every = (Counter(one.code for one in labels) for labels in (self.found, (*self.found, *self.missed)))
        for code in sorted(every):
            yield f"{code:<8}{found[code]:>4} of {every[code]}"


def meet(findings: Iterable[Found], labels: Iterable[Label], right: Iterable[Label]) -> Met:
    """Hold findings against labels."""
    findings, labels = list(findings), list(labels)
    told = {label: [one for one in findings if label.is_met_by(one)] for label in labels}
    meant = {one for ones in told.values() for one in ones}
    others = [one for one in findings if one not in meant]
    alarms = {label: [one for one in others if label.is_met_by(one) and one.line == label.line] for label in right}
    return Met(
        tuple(label for label in labels if told[label]),
        tuple(label for label in labels if not told[label]),
        tuple(label for label, ones in alarms.items() if ones),
        tuple(others),
        tuple(sorted(meant)),
        tuple(sorted({one for ones in alarms.values() for one in ones})),
    )
