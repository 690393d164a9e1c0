"""Rows as Markdown tables, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from .commands import GROWING, PARSING, SMALL, STARTING
from .machine import Machine
from .measuring import Row, Spread

COLUMNS = ("command", "wall, s", "CPU, s", "peak memory, MB", "wall / parse", "CPU / parse")
GROWTH = ("lines", "CPU, s", "CPU a line, ms", "without start-up, ms", "peak memory, MB", "CPU / parse")
SUMMARY, CORPUS = "CPU time as a multiple of the parse", "files"
MEGABYTE = 1_000_000


def markdown(machine: Machine, rows: Sequence[Row]) -> str:
    """Return all tables, under a line that says what was measured on."""
    titles = [title for title in _titles(rows) if title != PARSING]
    parts = [machine.line]
    for title in titles:
        mine = [row for row in rows if row.command.table == title]
        lines = _growth(mine, rows) if title == GROWING else _compared(mine)
        parts.append("\n".join([f"**{title}**", "", *lines, *_remarks(mine)]))
    return "\n\n".join(parts) + "\n"


def summary(rows: Sequence[Row]) -> str:
    """Return the small table for the README: CPU time over the parse, a row for each corpus."""
    compared = [row for row in rows if row.command.table not in (PARSING, STARTING, GROWING)]
    by_title = {title: [row for row in compared if row.command.table == title] for title in _titles(compared)}
    labels = list(dict.fromkeys(row.command.label for row in compared))[1:]
    lines = [*_header((CORPUS, *labels))]
    for title, (base, *others) in by_title.items():
        ratios = {} if base.trouble else {o.command.label: f"{o.cpu / base.cpu:.2f}" for o in others if not o.trouble}
        lines.append(_line(title, *(ratios.get(label, "") for label in labels)))
    return "\n".join(["", f"**{SUMMARY}**", "", *lines, ""]) if compared else ""


def _titles(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.command.table for row in rows))


def _compared(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of a table whose first row is the yardstick of the others."""
    base = rows[0]
    yield from _header(COLUMNS)
    for row in rows:
        if row.trouble:
            yield _line(row.command.label, row.trouble, "", "", "", "")
            continue
        ratios = ("", "") if base.trouble else (f"{row.wall / base.wall:.2f}", f"{row.cpu / base.cpu:.2f}")
        yield _line(row.command.label, seconds(row.wall), seconds(row.cpu), _megabytes(row.rss), *ratios)


def _growth(rows: Sequence[Row], every: Sequence[Row]) -> Iterator[str]:
    """The lines of the table of scripts that grow: what a line costs, with the start-up and without.

    The start-up is what a small script costs.
    """
    parsed = {row.command.label: row for row in every if row.command.table == PARSING}
    (small,) = (row for row in every if (row.command.table, row.command.label) == (STARTING, SMALL))
    yield from _header(GROWTH)
    for row in rows:
        label, lines = row.command.label, int(row.command.label.replace(",", ""))
        if row.trouble or row.given_up:
            yield _line(label, row.trouble or f"given up on after {seconds(row.cpu)}", "", "", "", "")
            continue
        beyond = "" if small.trouble else f"{1000 * max(row.cpu.median - small.cpu.median, 0) / lines:.2f}"
        ratio = "" if parsed[label].trouble else f"{row.cpu / parsed[label].cpu:.2f}"
        each = f"{1000 * row.cpu.median / lines:.2f}"
        yield _line(label, seconds(row.cpu), each, beyond, _megabytes(row.rss), ratio)


def _remarks(rows: Sequence[Row]) -> Iterator[str]:
    """What has to be said of some rows, in a list below their table."""
    remarks = [f"- {row.command.label}: {row.remark}" for row in rows if row.remark]
    yield from ["", *remarks] if remarks else []


def _header(columns: Sequence[str]) -> Iterator[str]:
    yield _line(*columns)
    yield _line("---", *("---:" for _ in columns[1:]))


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def seconds(spread: Spread) -> str:
    """Return a median with least and greatest, which are left out where they read the same."""
    return _spread(*(f"{value:.2f}" if value < 10 else f"{value:.1f}" for value in _three(spread)))


def _megabytes(spread: Spread) -> str:
    return f"{spread.median / MEGABYTE:.0f}"


def _three(spread: Spread) -> tuple[float, float, float]:
    return spread.median, spread.least, spread.most


def _spread(median: str, least: str, most: str) -> str:
    return median if least == most else f"{median} ({least} to {most})"


def as_json(machine: Machine, rows: Sequence[Row]) -> dict[str, Any]:
    """Return everything that was measured: each run of each row, with the command that was run."""
    return {"machine": asdict(machine), "rows": [_row(row) for row in rows]}


def _row(row: Row) -> dict[str, Any]:
    medians = {} if row.trouble else {name: getattr(row, name).median for name in ("wall", "cpu", "rss")}
    return {
        "table": row.command.table,
        "label": row.command.label,
        "command": list(row.command.arguments),
        "medians": medians,
        "trouble": row.trouble,
        "remark": row.remark,
        "runs": [asdict(run) for run in row.runs],
    }
