"""What came of all programs together, as a table."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.fuzz.comparing import Compared, Disagreement
from tests.fuzz.exercising import Exercised, areas
from tests.fuzz.silent import Held
from tests.fuzz.silent import table as silent_table

ENOUGH = 0.95
"""The share of each area, and of the refusals of each kind, that is aimed at."""
MOST_VAGUE = 0.10
ENOUGH_STATEMENTS = 12
VAGUE = 8
"""How many of the commonest vague facts are told."""
MISSED = 3
"""How many of the programs with a refusal of one kind that is not reported are named."""


@dataclass(slots=True)
class Total:
    """What came of some programs together; `missed` are the places at which torch raised and nobody reported it, by the
    words of the error."""

    programs: int = 0
    disagreements: list[tuple[str, Disagreement]] = field(default_factory=list)
    facts: Counter[str] = field(default_factory=Counter)
    vague: Counter[str] = field(default_factory=Counter)
    refusals: Counter[tuple[str, bool]] = field(default_factory=Counter)
    missed: dict[str, list[str]] = field(default_factory=dict)
    warned: int = 0
    idle: int = 0
    vague_after: Counter[tuple[str, str]] = field(default_factory=Counter)
    silent: Held = field(default_factory=Held)
    cures: int = 0
    statements: list[int] = field(default_factory=list)
    exercised: Exercised = field(default_factory=Exercised)

    def add(self, name: str, one: Compared) -> None:
        """Take in what came of one program."""
        self.programs += 1
        self.disagreements += [(name, disagreement) for disagreement in one.disagreements]
        self.facts.update(one.facts)
        self.vague.update(one.vague)
        self.refusals.update(one.refusals)
        for row, saying in one.missed:
            self.missed.setdefault(saying, []).append(f"{name} row {row}")
        self.warned += one.warned
        self.idle += one.idle
        self.vague_after.update(one.vague_after)
        self.silent.update(one.silent)
        self.cures += one.cured.made.total()
        self.statements.append(one.exercised.tensor_statements)
        self.exercised.merge(one.exercised)

    def of_kind(self, kind: str) -> int:
        """How many disagreements are of a kind."""
        return sum(disagreement.kind == kind for _, disagreement in self.disagreements)

    def share(self, area: str) -> float:
        """The share of an area that was exercised."""
        every = areas()[area]
        return 1 - len(self.missing(area)) / len(every)

    def missing(self, area: str) -> list[str]:
        """What of an area was not exercised."""
        return [thing for thing in areas()[area] if thing not in self.exercised.things[area]]

    def median(self) -> float:
        """The median number of tensor statements."""
        return statistics.median(self.statements) if self.statements else 0


def lines(total: Total, title: str) -> Iterator[str]:
    """The table: what agreed, and what was exercised."""
    yield f"{title}: {total.programs} programs, {total.idle} of them say nothing"
    yield f"  crashes: {total.of_kind('crash')}; programs lost: {total.of_kind('lost')}"
    yield f"  soundness: {total.of_kind('fact')} facts outside, of {sum(total.facts.values())}"
    for name, count in sorted(total.facts.items()):
        yield f"    {name}: {count} facts, {total.vague[name] / count:.1%} vague{_over(total.vague[name] / count)}"
    for (name, made), count in total.vague_after.most_common(VAGUE):
        yield f"    {count} times vague: {name} of what {made} made"
    yield f"  precision of raising rules: {total.of_kind('raises')} of {total.warned} findings where nothing raises"
    yield from _recall(total)
    yield f"  silent rules: {total.of_kind('silent')} of {sum(total.silent.findings.values())} findings contradicted"
    yield from (f"    {line}" for line in silent_table(total.silent))
    yield f"  fixes of silent rules: {total.of_kind('cure')} of {total.cures} cure nothing"
    yield f"  tensor statements a program: {total.median():.0f} (median){_under(total.median(), ENOUGH_STATEMENTS)}"


def exercised(total: Total) -> Iterator[str]:
    """What was exercised, and what was not."""
    for area in areas():
        missing = total.missing(area)
        yield f"  {area}: {total.share(area):.1%} of {len(areas()[area])}{_under(total.share(area), ENOUGH)}"
        yield from (f"    not: {', '.join(some)}" for some in _rows(missing))


def _recall(total: Total) -> Iterator[str]:
    refusals = total.refusals
    words = sorted({saying for saying, _ in refusals})
    reported = sum(count for (_, is_reported), count in refusals.items() if is_reported)
    yield f"  recall of raising rules: {reported} of {sum(refusals.values())} refusals are reported"
    for saying in words:
        found, missed = refusals[saying, True], refusals[saying, False]
        yield f"    {found} of {found + missed}{_under(found / (found + missed), ENOUGH)}: {saying}"
        if missed:
            yield f"      missed: {', '.join(total.missed[saying][:MISSED])}"


def _under(value: float, least: float) -> str:
    return f" (less than {least:g})" if value < least else ""


def _over(value: float) -> str:
    return f" (more than {MOST_VAGUE:g})" if value > MOST_VAGUE else ""


def _rows(names: list[str], width: int = 110) -> Iterator[list[str]]:
    """The names in rows of a page's width."""
    row: list[str] = []
    for name in names:
        if row and sum(len(each) + 2 for each in (*row, name)) > width:
            yield row
            row = []
        row.append(name)
    if row:
        yield row
