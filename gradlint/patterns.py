"""Patterns of paths in configuration and options, as users know them from ruff.

A pattern without a slash is held against the name alone, one with a slash against the path as seen from the folder
that the pattern belongs to. `*` and `**` go over slashes; a backslash takes from what follows its meaning.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from gradlint import globs


def matches(path: str, patterns: Sequence[str], folder: str) -> bool:
    """Return whether one of the patterns, which belong to this folder, matches an absolute path."""
    by_name, by_path, absolute = _compiled(tuple(patterns))
    full, inside = path.replace(os.sep, "/"), folder.replace(os.sep, "/").rstrip("/") + "/"
    if by_name.match(full.rpartition("/")[2]) or absolute.match(full):
        return True
    return full.startswith(inside) and by_path.match(full[len(inside) :]) is not None


def fault(pattern: str) -> str:
    """Return the fault of a text that is no pattern; empty for one that is."""
    try:
        globs.translate(_bare(pattern), across=True)
    except globs.BadGlob as error:
        return str(error)
    return "" if _bare(pattern) else "it is empty"


def matches_no_file(pattern: str, folder: str) -> str:
    """Return the reason that a pattern of a folder cannot match a file, with the cure; empty where it can."""
    bare = _bare(pattern)
    if pattern.endswith("/") or (globs.is_plain(bare) and os.path.isdir(os.path.join(folder, bare))):
        return f"it speaks of a folder; write `{bare}/*`"
    if not {"", ".", ".."}.isdisjoint(bare.removeprefix("/").split("/")):
        return "no path is written like that; leave out `.`, `..` and slashes in a row"
    return ""


def anchored(pattern: str, folder: str) -> str:
    """A pattern that belongs to a folder as it is written anywhere: one with a slash as an absolute one."""
    bare = pattern.removeprefix("!")
    if "/" not in _bare(bare):
        return pattern
    return pattern[: len(pattern) - len(bare)] + os.path.join(globs.escape(folder), bare.removeprefix("./"))


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """The patterns of names, of paths from the folder, and of absolute ones."""
    wanted = [bare for pattern in patterns if (bare := _bare(pattern))]
    paths = [pattern for pattern in wanted if "/" in pattern]
    return (
        _any_of(pattern for pattern in wanted if "/" not in pattern),
        _any_of(pattern for pattern in paths if not os.path.isabs(pattern)),
        _any_of(pattern for pattern in paths if os.path.isabs(pattern)),
    )


def _bare(pattern: str) -> str:
    return pattern.replace(os.sep, "/").rstrip("/").removeprefix("./")


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    expressions = [globs.translate(pattern, across=True) for pattern in patterns]
    return re.compile("|".join(expressions), re.DOTALL) if expressions else globs.NOTHING
