"""The objects of the JSON report, one per line."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.report.entry import Entry
from gradlint.report.json import as_object, dumps


def report(entries: Sequence[Entry], painted: bool) -> str:
    """An object for each finding."""
    return "".join(dumps(as_object(entry), sort_keys=True) + "\n" for entry in entries)
