"""Reports: one file per output format behind one table.

A format is a function from entries, sorted as they are to be shown, to text that ends in a newline (or is
empty). `painted` is asked for by formats that know colour; the others leave it out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradlint.report import concise, full, github, json, json_lines, statistics
from gradlint.report.entry import Entry as Entry

Format = Callable[[Sequence[Entry], bool], str]

FORMATS: dict[str, Format] = {
    "full": full.report,
    "concise": concise.report,
    "json": json.report,
    "json-lines": json_lines.report,
    "github": github.report,
}
STATISTICS: dict[str, Format] = {
    "full": statistics.report,
    "concise": statistics.report,
    "json": statistics.report_json,
    "json-lines": statistics.report_json_lines,
    "github": statistics.report,
}
PARTED = {"full": "\n", "concise": "", "json-lines": "", "github": ""}
"""Formats that can be told in parts, and what stands between two parts."""
FOR_PEOPLE = frozenset({"full", "concise"})
"""Formats after which a summary makes sense."""
