"""Workflow commands that GitHub turns into annotations of the changed files."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.finding import Place
from gradlint.report.entry import Entry, escaped


def report(entries: Sequence[Entry], painted: bool) -> str:
    """A command for each finding."""
    return "".join(_command(entry) + "\n" for entry in entries)


def _command(entry: Entry) -> str:
    finding = entry.finding
    properties = {"title": f"gradlint ({finding.code})", "file": escaped(entry.filename), **_extent(entry.place)}
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    said = f"{entry.where}: {entry.headline}" + (f"\n  help: {escaped(finding.help)}" if finding.help else "")
    return f"::error {listed}::{_data(said)}"


def _extent(place: Place) -> dict[str, str]:
    """GitHub takes columns only where a place begins and ends on one line."""
    if place.row != place.end_row:
        return {"line": str(place.row), "endLine": str(place.end_row)}
    columns = {"col": str(place.column), "endLine": str(place.end_row), "endColumn": str(place.end_column)}
    return {"line": str(place.row), **columns}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
