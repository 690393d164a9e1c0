"""Logging commands that Azure Pipelines turns into issues of a build."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.report.entry import Entry, escaped

_DATA = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A"})
"""The escapes that an agent reads back; one that does not decode `%AZP25` shows it, and decodes nothing behind it."""
_PROPERTY = _DATA | str.maketrans({";": "%3B", "]": "%5D"})


def report(entries: Sequence[Entry], painted: bool) -> str:
    """A command for each finding."""
    return "".join(_command(entry) + "\n" for entry in entries)


def _command(entry: Entry) -> str:
    finding, place = entry.finding, entry.place
    properties = {
        "type": entry.level,
        "sourcepath": escaped(entry.filename),
        "linenumber": str(place.row),
        "columnnumber": str(place.column),
        "code": finding.code,
    }
    listed = "".join(f"{key}={value.translate(_PROPERTY)};" for key, value in properties.items())
    return f"##vso[task.logissue {listed}]{escaped(entry.message).translate(_DATA)}"
