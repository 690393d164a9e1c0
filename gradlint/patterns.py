"""Patterns of paths in configuration and options, as users know them from ruff.

A pattern without a slash is held against the name alone, one with a slash against the path as seen from the folder
that the pattern belongs to. `*` and `**` go over slashes.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Sequence
from functools import lru_cache


def matches(path: str, patterns: Sequence[str], folder: str) -> bool:
    """Whether one of the patterns, which belong to this folder, matches an absolute path."""
    by_name, by_path = _compiled(tuple(patterns), folder)
    return bool(by_name.fullmatch(os.path.basename(path)) or by_path.fullmatch(path.replace(os.sep, "/")))


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...], folder: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    names, paths = [], []
    for pattern in patterns:
        wanted = pattern.replace(os.sep, "/").rstrip("/").removeprefix("./")
        if "/" in wanted:
            paths.append(
                _with_folders(wanted) if os.path.isabs(wanted) else f"{_plain(folder)}/{_with_folders(wanted)}"
            )
        elif wanted:
            names.append(_with_folders(wanted))
    return _any_of(names), _any_of(paths)


def _plain(folder: str) -> str:
    return re.escape(folder.replace(os.sep, "/").rstrip("/"))


def _with_folders(pattern: str) -> str:
    """The pattern as a regular expression, where `**/` stands for any number of folders, none included."""
    return "(?:.*/)?".join(fnmatch.translate(part)[4:-3] for part in pattern.split("**/"))


def _any_of(expressions: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in expressions) if expressions else "(?!)", re.DOTALL)
