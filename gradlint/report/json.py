"""An array of objects with ruff's keys, and what gradlint knows beyond them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gradlint.finding import Edit, Finding, Fix, Note, Place, Question, Sign
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
    finding, (cell, place) = entry.finding, entry.located(entry.finding.place)
    return {
        "cell": cell,
        "code": finding.code,
        "confidence": str(finding.confidence),
        "confidence_of": {each: str(getattr(finding.degrees, each)) for each in Question},
        "consequence": finding.consequence or None,
        "end_location": _end(place),
        "filename": entry.filename,
        "fix": _fix(finding.fixes[0], entry) if finding.fixes else None,
        "help": finding.help or None,
        "location": _start(place),
        "message": finding.message,
        "name": finding.name,
        "noqa_row": _noqa_row(finding, place),
        "notes": [_note(note, entry) for note in finding.notes],
        "severity": "error",
        "signs": [as_sign(sign) for sign in finding.signs],
        "url": None,
    }


def as_sign(sign: Sign) -> dict[str, str]:
    """Return the sign that a finding rests on, as JSON knows it."""
    return {"question": sign.question, "confidence": str(sign.confidence), "sign": sign.text}


def _noqa_row(finding: Finding, place: Place) -> int | None:
    """Return the row of a suppression; what gradlint says of a whole file cannot be suppressed."""
    return None if finding.code in OF_FILES else place.row


def _start(place: Place) -> dict[str, int]:
    return {"row": place.row, "column": place.column}


def _end(place: Place) -> dict[str, int]:
    return {"row": place.end_row, "column": place.end_column}


def _note(note: Note, entry: Entry) -> dict[str, Any]:
    cell, place = entry.located(note.place, note.path)
    return {
        "cell": cell,
        "message": note.text,
        "filename": note.path or entry.filename,
        "location": _start(place),
        "end_location": _end(place),
    }


def _fix(fix: Fix, entry: Entry) -> dict[str, Any]:
    return {"applicability": fix.safety, "message": fix.message, "edits": [_edit(edit, entry) for edit in fix.edits]}


def _edit(edit: Edit, entry: Entry) -> dict[str, Any]:
    cell, place = entry.located(edit.place)
    return {"cell": cell, "content": edit.text, "location": _start(place), "end_location": _end(place)}
