"""Reports: one file per output format behind one table.

A format is a function from entries, sorted as they are to be shown, to text that ends in a newline (or is
empty). `painted` is asked for by formats that know colour; the others leave it out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from gradlint.report.entry import Entry as Entry

Format = Callable[[Sequence[Entry], bool], str]


def _of(module: str, function: str = "report") -> Format:
    """The format of a module here, which is loaded when a report is written: there are many, and one is wanted."""

    def report(entries: Sequence[Entry], painted: bool) -> str:
        text: str = getattr(import_module(f"{__name__}.{module}"), function)(entries, painted)
        return text

    return report


FORMATS: dict[str, Format] = {
    "full": _of("full"),
    "concise": _of("concise"),
    "grouped": _of("grouped"),
    "json": _of("json"),
    "json-lines": _of("json_lines"),
    "junit": _of("junit"),
    "github": _of("github"),
    "gitlab": _of("gitlab"),
    "pylint": _of("pylint"),
    "rdjson": _of("rdjson"),
    "azure": _of("azure"),
    "sarif": _of("sarif"),
}
STATISTICS: dict[str, Format] = {
    **dict.fromkeys(FORMATS, _of("statistics")),
    **dict.fromkeys(("json", "gitlab", "rdjson", "sarif"), _of("statistics", "report_json")),
    "json-lines": _of("statistics", "report_json_lines"),
}
PARTED = {"full": "\n", **dict.fromkeys(("concise", "grouped", "json-lines", "github", "pylint", "azure"), "")}
"""Formats that can be told in parts, and what stands between two parts."""
FOR_PEOPLE = frozenset({"full", "concise", "grouped"})
"""Formats after which a summary makes sense."""
