"""Reports: one file per output format behind one table.

A format is a function from entries, sorted as they are to be shown, to text that ends in a newline (or is
empty). `painted` and the `columns` of a terminal count for formats that know colour and width.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Protocol

from gradlint.report.entry import Entry as Entry

COLUMNS = 80
"""The width of a report that goes to no terminal."""


class Format(Protocol):
    """Writes entries."""

    def __call__(self, entries: Sequence[Entry], painted: bool, columns: int = ...) -> str: ...


def _of(module: str, function: str = "report", *, fitted: bool = False) -> Format:
    """The format of a module here, which is loaded when a report is written: there are many, and one is wanted. One
    that is `fitted` is asked with the width."""

    def report(entries: Sequence[Entry], painted: bool, columns: int = COLUMNS) -> str:
        write = getattr(import_module(f"{__name__}.{module}"), function)
        text: str = write(entries, painted, columns) if fitted else write(entries, painted)
        return text

    return report


FORMATS: dict[str, Format] = {
    "full": _of("full", fitted=True),
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
DETAILED: dict[str, Format] = {**FORMATS, "full": _of("full", "report_detailed", fitted=True)}
"""The formats as they are with `--verbose`."""
STATISTICS: dict[str, Format] = {
    **dict.fromkeys(FORMATS, _of("statistics")),
    **dict.fromkeys(("json", "gitlab", "rdjson", "sarif"), _of("statistics", "report_json")),
    "json-lines": _of("statistics", "report_json_lines"),
}
PARTED = {"full": "\n", **dict.fromkeys(("concise", "grouped", "json-lines", "github", "pylint", "azure"), "")}
"""Formats that can be told in parts, and what stands between two parts."""
FOR_PEOPLE = frozenset({"full", "concise", "grouped"})
"""Formats after which a summary makes sense."""
