"""The counts of each rule's reports, the most frequent first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from gradlint.report.entry import Entry
from gradlint.report.paint import paint


def report(entries: Sequence[Entry], painted: bool) -> str:
    """A line for each rule: how often, code, name."""
    counted = _counted(entries)
    wide = max((len(str(each["count"])) for each in counted), default=0)
    return "".join(
        f"{each['count']:>{wide}}  {paint(each['code'], 'red', painted)}  {each['name']}\n" for each in counted
    )


def report_json(entries: Sequence[Entry], painted: bool) -> str:
    """One array, an object for each rule."""
    return json.dumps(_counted(entries), indent=2) + "\n"


def report_json_lines(entries: Sequence[Entry], painted: bool) -> str:
    """An object for each rule, one per line."""
    return "".join(json.dumps(each) + "\n" for each in _counted(entries))


def _counted(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    found = Counter((entry.finding.code, entry.finding.name) for entry in entries)
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [{"code": code, "name": name, "count": count} for (code, name), count in ordered]
