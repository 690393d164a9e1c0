"""Lint the packages, compare with the verdicts, print the figures; ends with 1 where the promise is not kept."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import fields
from pathlib import Path

import click

from gradlint import kinds
from gradlint.registry import rules

from .fetching import NotFetched, unpacked
from .judging import MOST_UNWANTED, TRUE, Comparison, compare, judged, table
from .linting import Found, Linted, lint
from .packages import Package, packages
from .repositories import CELL, Met, meet, mistakes, repositories, right_places
from .repositories import lint as lint_repository

CACHE = Path(__file__).parents[2] / ".wild"
AROUND = 5


@click.command()
@click.option("--package", "names", multiple=True, metavar="NAME", help="Only this package; repeatable.")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    default=CACHE,
    envvar="GRADLINT_WILD_CACHE",
    help="Where packages and results are kept. [.wild, or GRADLINT_WILD_CACHE]",
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="How many processes lint.")
@click.option("--unjudged", is_flag=True, help="Print the findings that nobody has judged, with the source around.")
@click.option("--judged", "only_judged", is_flag=True, help="Lint only files with a verdict: minutes, not an hour.")
@click.option(
    "--checkouts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Lint the repositories of repositories.toml that lie in this folder (as owner+name) instead of the packages.",
)
def main(
    names: tuple[str, ...], cache: Path, workers: int, unjudged: bool, only_judged: bool, checkouts: Path | None
) -> None:
    """Lint the packages of tests/wild/packages.toml and compare with tests/wild/judged.csv."""
    if checkouts is not None:
        sys.exit(_hold_repositories(checkouts, names, show=unjudged))
    chosen = _chosen(names)
    folders, faults, found = dict[str, Path](), list[str](), list[Found]()
    files, verdicts = 0, judged()
    paths = frozenset((one.package, one.path) for one in verdicts) if only_judged else None
    for package in chosen:
        try:
            folders[package.name], linted = _of(package, cache, workers, paths)
        except (NotFetched, OSError) as error:
            faults.append(f"{package.name}: {error}")
            continue
        found += linted.found
        faults += linted.faults
        files += linted.files
        click.echo(f"{package.pinned}: {linted.files} files, {len(linted.found)} findings", err=True)
    compared = compare(found, verdicts, frozenset(folders))
    _print(compared, {name: path for name, path in folders.items() if unjudged})
    click.echo(f"{len(folders)} packages, {files} files, {len(found)} findings, {len(compared.unjudged)} unjudged")
    for fault in faults:
        click.echo(f"fault: {fault}", err=True)
    sys.exit(bool(faults or compared.unjudged or compared.unwanted > MOST_UNWANTED))


def _hold_repositories(checkouts: Path, names: tuple[str, ...], *, show: bool) -> bool:
    """Lint repositories, tell what is found of what readers saw, for each half, and whether something is wrong."""
    wrong, verdicts = False, judged()
    for half in (True, False):
        chosen = [
            one
            for one in repositories()
            if one.for_mending is half and (not names or one.name in names) and (checkouts / one.folder).is_dir()
        ]
        met, compared = list[Met](), list[Comparison]()
        for one in chosen:
            found, faults = lint_repository(one, checkouts)
            mine = [label for label in mistakes() if label.repository == one.name]
            met.append(meet(found, mine, [label for label in right_places() if label.repository == one.name]))
            compared.append(compare(met[-1].others, verdicts, frozenset({one.name})))
            click.echo(f"{one.name}: {met[-1].recall}, {len(met[-1].others)} other findings", err=True)
            if show:
                _print(compared[-1], {one.name: checkouts / one.folder})
            for fault in faults:
                click.echo(f"fault: {fault}", err=True)
            wrong |= bool(faults or compared[-1].unjudged)
        total = Met(*(tuple(part for each in met for part in getattr(each, field.name)) for field in fields(Met)))
        counts = sum((each.counts for each in compared), Counter())
        good = len(total.found) + sum(number for (_, verdict), number in counts.items() if verdict == TRUE)
        every = len(total.found) + sum(counts.values())
        click.echo(f"{len(chosen)} repositories {'for mending' if half else 'left for measuring'}: {total.recall}")
        click.echo(f"  {good} of {every} judged findings true, {sum(len(each.unjudged) for each in compared)} unjudged")
        click.echo(f"  {len(total.flagged)} right places reported")
        for line in total.table():
            click.echo(f"  {line}")
    return wrong


def _chosen(names: tuple[str, ...]) -> tuple[Package, ...]:
    every = packages()
    unknown = set(names) - {package.name for package in every}
    if unknown:
        raise click.UsageError(f"packages.toml does not name {', '.join(sorted(unknown))}")
    return tuple(package for package in every if not names or package.name in names)


def _of(package: Package, cache: Path, workers: int, paths: frozenset[tuple[str, str]] | None) -> tuple[Path, Linted]:
    folder = unpacked(package, cache)
    only = None if paths is None else frozenset(path for name, path in paths if name == package.name)
    return folder, lint(package, folder, cache, workers, only)


def _print(compared: Comparison, folders: dict[str, Path]) -> None:
    """Print the findings that nobody judged (with their surroundings in these folders), what is gone, the figures."""
    for one in compared.unjudged:
        click.echo(f"unjudged: {one.package},{one.path},{one.line},{one.code} {one.message}")
        if one.package in folders:
            click.echo(surroundings(folders[one.package] / one.path, one.line))
    for gone in compared.gone:
        click.echo(f"gone: {gone.package},{gone.path},{gone.line},{gone.code} was judged {gone.verdict}")
    for line in table(compared.counts, {rule.code: rule.name for rule in rules()}):
        click.echo(line)


def surroundings(path: Path, line: int) -> str:
    """A line of a file, or of a cell, and those around it, numbered."""
    name, _, cell = path.name.partition(CELL)
    file = path.with_name(name)
    if cell:
        text = kinds.shown(file.read_bytes(), name)[int(cell)]
    else:
        text = file.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    first, last = max(line - AROUND, 1), min(line + AROUND, len(lines))
    return "".join(
        f"  {'>' if number == line else ' '}{number:>6} | {lines[number - 1]}\n" for number in range(first, last + 1)
    )


if __name__ == "__main__":
    main()
