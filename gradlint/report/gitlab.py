"""The array of issues that GitLab shows as code quality."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from gradlint.report.entry import Entry, encodable, escaped
from gradlint.report.fingerprints import fingerprints
from gradlint.report.json import dumps

PROJECT = "CI_PROJECT_DIR"
"""The variable that says where GitLab has put the project; paths are those from there."""
_SEVERITIES = {"error": "major", "warning": "minor"}


def report(entries: Sequence[Entry], painted: bool) -> str:
    """One array, its objects in the order of the findings."""
    paths = [_path(entry, os.environ.get(PROJECT, "")) for entry in entries]
    named = zip(entries, paths, fingerprints(entries, paths), strict=True)
    return dumps([_issue(entry, path, fingerprint) for entry, path, fingerprint in named], indent=2) + "\n"


def _path(entry: Entry, project: str) -> str:
    """The path of a file from the folder of the project, else as it is shown."""
    inside = os.path.relpath(entry.filename, project) if project and os.path.isabs(entry.filename) else entry.path
    return encodable(inside.replace(os.sep, "/"))


def _issue(entry: Entry, path: str, fingerprint: str) -> dict[str, Any]:
    finding, place = entry.finding, entry.place
    return {
        "check_name": finding.code,
        # GitLab shows the description alone.
        "description": f"{finding.code}: {escaped(entry.message)}",
        "fingerprint": fingerprint,
        "location": {
            "path": path,
            "positions": {
                "begin": {"line": place.row, "column": place.column},
                "end": {"line": place.end_row, "column": place.end_column},
            },
        },
        "severity": _SEVERITIES[entry.level],
    }
