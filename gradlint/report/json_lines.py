"""The objects of the JSON report, one per line."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gradlint.report.entry import Entry
from gradlint.report.json import as_object


def report(entries: Sequence[Entry], painted: bool) -> str:
    """An object for each finding."""
    return "".join(json.dumps(as_object(entry), sort_keys=True) + "\n" for entry in entries)
