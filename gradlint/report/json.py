"""An array of objects with ruff's keys, and what gradlint knows beyond them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gradlint.finding import Finding, Fix, Note, Place
from gradlint.report.entry import Entry
from gradlint.selection import OF_FILES


def report(entries: Sequence[Entry], painted: bool) -> str:
    """One array, its objects in the order of the findings."""
    return dumps([as_object(entry) for entry in entries], indent=2, sort_keys=True) + "\n"


def dumps(thing: object, **options: Any) -> str:
    """JSON in ASCII in which no runner of workflows finds a command (see `escaped`)."""
    return json.dumps(thing, **options).replace("##", "#\\u0023")


def as_object(entry: Entry) -> dict[str, Any]:
    """A finding as JSON knows it."""
    finding = entry.finding
    return {
        "cell": None,
        "code": finding.code,
        "confidence": str(finding.confidence),
        "consequence": finding.consequence or None,
        "end_location": _end(finding.place),
        "filename": entry.filename,
        "fix": _fix(finding.fixes[0]) if finding.fixes else None,
        "help": finding.help or None,
        "location": _start(finding.place),
        "message": finding.message,
        "name": finding.name,
        "noqa_row": _noqa_row(finding),
        "notes": [_note(note, entry.filename) for note in finding.notes],
        "severity": "error",
        "url": None,
    }


def _noqa_row(finding: Finding) -> int | None:
    """Where a suppression would stand; what gradlint says of a whole file cannot be suppressed."""
    return None if finding.code in OF_FILES else finding.place.row


def _start(place: Place) -> dict[str, int]:
    return {"row": place.row, "column": place.column}


def _end(place: Place) -> dict[str, int]:
    return {"row": place.end_row, "column": place.end_column}


def _note(note: Note, filename: str) -> dict[str, Any]:
    return {
        "message": note.text,
        "filename": note.path or filename,
        "location": _start(note.place),
        "end_location": _end(note.place),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{"content": e.text, "location": _start(e.place), "end_location": _end(e.place)} for e in fix.edits]
    return {"applicability": fix.safety, "message": fix.message, "edits": edits}
