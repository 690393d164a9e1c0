"""The object that reviewdog reads (Reviewdog Diagnostic Format)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint.finding import Fix, Place
from gradlint.report.entry import Entry, encodable, escaped
from gradlint.report.json import dumps


def report(entries: Sequence[Entry], painted: bool) -> str:
    """One object with all findings."""
    diagnostics = [_diagnostic(entry) for entry in entries]
    told = {"diagnostics": diagnostics, "severity": "WARNING", "source": {"name": "gradlint"}}
    return dumps(told, indent=2) + "\n"


def _diagnostic(entry: Entry) -> dict[str, Any]:
    finding = entry.finding
    told = {
        "code": {"value": finding.code},
        "location": {"path": encodable(entry.filename), "range": _range(entry.place, entry)},
        "message": escaped(entry.message),
        "severity": entry.level.upper(),
    }
    suggestions = [_suggestion(fix, entry) for fix in entry.offered if len(fix.edits) == 1]
    return told | ({"suggestions": suggestions} if suggestions else {})


def _suggestion(fix: Fix, entry: Entry) -> dict[str, Any]:
    """A fix of one edit. Suggestions are taken one by one, so edits that cure only together are none."""
    (edit,) = fix.edits
    return {"range": _range(edit.place, entry), "text": encodable(edit.text)}


def _range(place: Place, entry: Entry) -> dict[str, Any]:
    return {
        "start": {"line": place.row, "column": _column(entry, place.row, place.column)},
        "end": {"line": place.end_row, "column": _column(entry, place.end_row, place.end_column)},
    }


def _column(entry: Entry, row: int, column: int) -> int:
    """A column as the format counts them: bytes of UTF-8."""
    before = entry.line(row)[: column - 1]
    return column - len(before) + len(before.encode("utf-8", "surrogatepass"))
