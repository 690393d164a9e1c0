"""One line per finding, in the shape of Pylint that Jenkins and others read: `path:row: [CODE] message`."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.report.entry import Entry, escaped, safe_name


def report(entries: Sequence[Entry], painted: bool) -> str:
    """A line for each finding."""
    return "".join(f"{_where(entry)}: [{entry.finding.code}] {escaped(entry.message)}\n" for entry in entries)


def _where(entry: Entry) -> str:
    return f"{safe_name(entry.path)}:{entry.place.row}"
