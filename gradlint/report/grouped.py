"""Findings below the name of their file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from gradlint.report.entry import Entry, escaped, safe_name
from gradlint.report.paint import paint


def report(entries: Sequence[Entry], painted: bool) -> str:
    """A block for each file, with an empty line behind it."""
    files = groupby(entries, key=lambda entry: entry.path)
    return "".join(_block(path, list(found), painted) for path, found in files)


def _block(path: str, found: Sequence[Entry], painted: bool) -> str:
    rows = max(len(_row(entry)) for entry in found)
    columns = max(len(str(entry.located(entry.finding.place)[1].column)) for entry in found)
    lines = "".join(_line(entry, rows, columns, painted) for entry in found)
    return f"{paint(safe_name(path), 'bold', painted)}:\n{lines}\n"


def _line(entry: Entry, rows: int, columns: int, painted: bool) -> str:
    place, finding = entry.located(entry.finding.place)[1], entry.finding
    code = paint(finding.code, "red", painted)
    return f"  {_row(entry):>{rows}}:{place.column:<{columns}} {code} {escaped(finding.message)}\n"


def _row(entry: Entry) -> str:
    return entry.row_of(entry.finding.place)
