"""What readers said of the findings: `judged.csv`, and how it compares with what is found now."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from .linting import Found

JUDGED = Path(__file__).parent / "judged.csv"
COLUMNS = ("package", "path", "line", "code", "verdict", "reason")
TRUE, ARGUABLE, FALSE = VERDICTS = ("true", "arguable", "false")
MOST_UNWANTED = 1 / 20
"""The share of false and arguable findings that the default rules may have together."""
MOST_UNWANTED_OF_A_RULE = 1 / 10
"""Above this share a rule leaves the default set until it is better."""

Key = tuple[str, str, int, str]


class BadVerdicts(Exception):
    """The file of verdicts is not what it should be; the message says in which row."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a reader said of one finding, and why."""

    package: str
    path: str
    line: int
    code: str
    verdict: str
    reason: str

    @property
    def key(self) -> Key:
        """What the finding is known by."""
        return self.package, self.path, self.line, self.code


@dataclass(frozen=True, slots=True)
class Comparison:
    """Findings beside verdicts: those that nobody judged, verdicts whose finding is gone, and how often each verdict
    was given to what a rule still finds, by (code, verdict)."""

    unjudged: tuple[Found, ...]
    gone: tuple[Judged, ...]
    counts: Counter[tuple[str, str]]

    @property
    def unwanted(self) -> float:
        """The share of false and arguable ones among the judged."""
        return unwanted(self.counts, {code for code, _ in self.counts})


def judged(text: str | None = None) -> tuple[Judged, ...]:
    """The verdicts of a file, by default ours. Raises `BadVerdicts`."""
    rows = list(csv.reader(io.StringIO(JUDGED.read_text() if text is None else text), strict=True))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise BadVerdicts(f"the columns are not {', '.join(COLUMNS)}")
    found = tuple(_judged(number, row) for number, row in enumerate(rows[1:], 2))
    for number, (one, other) in enumerate(pairwise(found), 3):
        if one.key >= other.key:
            raise BadVerdicts(f"row {number} is not sorted, or judged twice: {','.join(map(str, other.key))}")
    return found


def _judged(number: int, row: Sequence[str]) -> Judged:
    if len(row) != len(COLUMNS) or not row[2].isdecimal():
        raise BadVerdicts(f"row {number} does not hold {', '.join(COLUMNS)}: {','.join(row)}")
    one = Judged(row[0], row[1], int(row[2]), row[3], row[4], row[5])
    if one.verdict not in VERDICTS:
        raise BadVerdicts(f"row {number}: the verdict is none of {', '.join(VERDICTS)}: {one.verdict!r}")
    if not one.reason.strip():
        raise BadVerdicts(f"row {number} gives no reason")
    return one


def compare(found: Iterable[Found], verdicts: Iterable[Judged], packages: frozenset[str]) -> Comparison:
    """Hold what was found in some packages against the verdicts on them."""
    findings = {one.key: one for one in found}
    known = {one.key: one for one in verdicts if one.package in packages}
    return Comparison(
        tuple(sorted(one for key, one in findings.items() if key not in known)),
        tuple(one for key, one in known.items() if key not in findings),
        Counter((one.code, one.verdict) for key, one in known.items() if key in findings),
    )


def unwanted(counts: Counter[tuple[str, str]], codes: Iterable[str]) -> float:
    """The share of false and arguable ones among the judged findings of these rules; none where none is judged."""
    codes = frozenset(codes)
    good = sum(number for (code, verdict), number in counts.items() if code in codes and verdict == TRUE)
    every = sum(number for (code, _), number in counts.items() if code in codes)
    return 1 - good / every if every else 0.0


def table(counts: Counter[tuple[str, str]], names: dict[str, str]) -> list[str]:
    """The figures per rule, in lines; `names` of the rules by code."""
    form = "{:<8}{:<36}{:>6}{:>10}{:>7}{:>10}"
    lines = [form.format("code", "name", *VERDICTS, "unwanted")]
    codes = sorted({code for code, _ in counts})
    for code in codes:
        share = unwanted(counts, [code])
        mark = "  more than one in ten" if share > MOST_UNWANTED_OF_A_RULE else ""
        numbers = (counts[code, verdict] for verdict in VERDICTS)
        lines.append(form.format(code, names.get(code, ""), *numbers, f"{share:.0%}") + mark)
    totals = (sum(counts[code, verdict] for code in codes) for verdict in VERDICTS)
    return [*lines, form.format("all", f"{len(codes)} rules", *totals, f"{unwanted(counts, codes):.1%}")]
