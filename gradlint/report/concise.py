"""One line per finding, in the shape that flake8 made common: `path:row:column: CODE message`."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.report.entry import Entry, escaped
from gradlint.report.paint import paint


def report(entries: Sequence[Entry], painted: bool) -> str:
    """A line for each finding, never more."""
    return "".join(headline(entry, painted) + "\n" for entry in entries)


def headline(entry: Entry, painted: bool) -> str:
    """The line that stands for a finding."""
    where, finding = entry.where, entry.finding
    return f"{paint(where, 'bold', painted)}: {paint(finding.code, 'red', painted)} {escaped(finding.message)}"
