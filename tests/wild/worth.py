"""How many findings of each rule are wanted: what readers said, counted into `rules/measured.py`.

`judged.csv` holds verdicts on single findings. `found.csv` holds, for each repository and rule, how many findings stand
where a reader saw a mistake before gradlint was run, and how many of those that nobody judged stand at a place that is
right. `python -m tests.wild.worth` counts both; with `--checkouts` it lints the repositories first and writes what
it finds into `found.csv`.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from gradlint.rule import Worth

from .judging import TRUE, Judged, judged
from .repositories import BadLabels, Met, lint, meet, mistakes, repositories, right_places

FOUND = Path(__file__).parent / "found.csv"
COLUMNS = ("repository", "code", "mistakes", "right")
MODULE = Path(__file__).parents[2] / "rules" / "measured.py"
HEAD = '''\
"""The worth of these rules' findings in real code; written by `python -m tests.wild.worth`."""

from __future__ import annotations

from gradlint.rule import Worth

worth = {
'''


@dataclass(frozen=True, slots=True, order=True)
class Counted:
    """Findings of a rule in a repository: at labelled `mistakes`, and those without a verdict at `right` places."""

    repository: str
    code: str
    mistakes: int
    right: int


def counted(met: Met, verdicts: Iterable[Judged]) -> list[Counted]:
    """Count what was found at labelled places; a finding with a verdict is counted by that."""
    known = {one.key for one in verdicts}
    wanted = Counter((one.package, one.code) for one in met.meant)
    unwanted = Counter((one.package, one.code) for one in met.alarms if one.key not in known)
    return [Counted(*key, wanted[key], unwanted[key]) for key in sorted({*wanted, *unwanted})]


def found(text: str | None = None) -> tuple[Counted, ...]:
    """The counts of a file, by default ours. Raises `BadLabels`."""
    rows = list(csv.reader(io.StringIO(FOUND.read_text() if text is None else text), strict=True))
    if not rows or tuple(rows[0]) != COLUMNS:
        raise BadLabels(f"the columns are not {', '.join(COLUMNS)}")
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(COLUMNS) or not all(count.isdecimal() for count in row[2:]):
            raise BadLabels(f"row {number} does not hold {', '.join(COLUMNS)}: {','.join(row)}")
    read = tuple(Counted(name, code, int(mistakes), int(right)) for name, code, mistakes, right in rows[1:])
    if list(read) != sorted(read) or len({(one.repository, one.code) for one in read}) < len(read):
        raise BadLabels("the rows are not sorted, or a repository and a rule stand there twice")
    return read


def record(counts: Iterable[Counted]) -> str:
    """The text of a file that holds these counts."""
    rows = [COLUMNS, *((one.repository, one.code, one.mistakes, one.right) for one in sorted(counts))]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def worths(verdicts: Iterable[Judged], counts: Iterable[Counted]) -> dict[str, Worth]:
    """What was found out about each rule, by code."""
    said = [(one.code, one.package, int(one.verdict == TRUE), int(one.verdict != TRUE)) for one in verdicts]
    said += [(one.code, one.repository, one.mistakes, one.right) for one in counts]
    by_code: dict[str, list[tuple[str, int, int]]] = {}
    for code, project, wanted, unwanted in said:
        by_code.setdefault(code, []).append((project, wanted, unwanted))
    return {
        code: Worth(sum(one[1] for one in ones), sum(one[2] for one in ones), len({one[0] for one in ones}))
        for code, ones in sorted(by_code.items())
    }


def module(measured: Mapping[str, Worth]) -> str:
    """The text of the module that says it."""
    rows = (f'    "{code}": Worth({one.wanted}, {one.unwanted}, {one.projects}),\n' for code, one in measured.items())
    return HEAD + "".join(rows) + "}\n"


def told(measured: Mapping[str, Worth]) -> Iterator[str]:
    """The rules of which enough was judged, and those whose findings are possible at most, in lines."""
    for code, one in measured.items():
        if one.is_measured:
            low = ": possible at most" if one.is_too_low else ""
            yield f"{code}: {one.wanted} of {one.judged} wanted, in {one.projects} projects{low}"
    yield f"{sum(not one.is_measured for one in measured.values())} rules with too few findings to say"


def lint_all(checkouts: Path) -> list[Counted]:
    """Lint all repositories and count. Raises `BadLabels` for one that is not among the checkouts."""
    every, verdicts = repositories(), judged()
    if missing := [one.name for one in every if not (checkouts / one.folder).is_dir()]:
        raise BadLabels(f"not in {checkouts}: {', '.join(missing)}")
    return [
        row
        for one in every
        for row in counted(
            meet(
                lint(one, checkouts)[0],
                [label for label in mistakes() if label.repository == one.name],
                [label for label in right_places() if label.repository == one.name],
            ),
            verdicts,
        )
    ]


@click.command()
@click.option(
    "--checkouts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Lint the repositories of repositories.toml, all of which lie in this folder, and write found.csv first.",
)
def main(checkouts: Path | None) -> None:
    """Count what readers said of findings and write rules/measured.py."""
    if checkouts is not None:
        FOUND.write_text(record(lint_all(checkouts)), encoding="utf-8")
    measured = worths(judged(), found())
    MODULE.write_text(module(measured), encoding="utf-8")
    click.echo("\n".join(told(measured)))


if __name__ == "__main__":
    main()
