"""From what the user names to the files that are linted."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gradlint import ignoring
from gradlint.ignoring import Ignoring
from gradlint.patterns import matches

SUFFIXES = (".py", ".pyi")
_LOCK = ".#"
"""So begin the links that Emacs leaves beside a file that is being edited; they lead nowhere."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """What is left out of a folder: paths that match `patterns`, which belong to `base`, and what git ignores."""

    base: str
    patterns: tuple[str, ...]
    respect_gitignore: bool = True


@dataclass(slots=True)
class Found:
    """Absolute paths, each once and in order: what is linted, folders that cannot be listed (with the reason), and
    paths as they were named that do not exist."""

    files: list[str] = field(default_factory=list)
    closed: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def find(paths: Iterable[str], excluded: Callable[[str], Excluded], force_exclude: bool = False) -> Found:
    """All files to lint: those that are named, and the Python files in folders that are named.

    `excluded` says what is left out of an absolute folder. What is named itself is left out only if `force_exclude`.
    """
    found = Found()
    files: set[str] = set()
    for named in paths:
        path = os.path.abspath(named)
        if not os.path.lexists(path):
            found.missing.append(named)
        elif force_exclude and is_excluded(path, excluded(os.path.dirname(path))):
            continue
        elif os.path.isdir(path):
            _walk(path, excluded, files, found.closed)
        else:
            files.add(path)
    found.files = sorted(files)
    found.closed = sorted(set(found.closed))
    return found


def is_excluded(path: str, excluded: Excluded) -> bool:
    """Whether an absolute path, or a folder it is in, matches the patterns."""
    while path != excluded.base and path != os.path.dirname(path):
        if matches(path, excluded.patterns, excluded.base):
            return True
        path = os.path.dirname(path)
        if not path.startswith(os.path.join(excluded.base, "")):
            break
    return False


def _walk(root: str, excluded: Callable[[str], Excluded], files: set[str], closed: list[tuple[str, str]]) -> None:
    """Gather the Python files below a folder. Links to folders are not followed: they may lead back."""
    waiting = [(root, ignoring.outside(root))]
    while waiting:
        folder, ignored = waiting.pop()
        ignored = ignored.entering(folder)
        out = excluded(folder)
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            closed.append((folder, error.strerror or str(error)))
            continue
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not (is_folder or _may_be_linted(entry)) or _is_left_out(entry, is_folder, out, ignored):
                continue
            if is_folder:
                waiting.append((entry.path, ignored))
            else:
                files.add(entry.path)


def _is_left_out(entry: os.DirEntry[str], is_folder: bool, out: Excluded, ignored: Ignoring) -> bool:
    if matches(entry.path, out.patterns, out.base):
        return True
    return out.respect_gitignore and ignored.ignores(entry.path, is_folder)


def _may_be_linted(entry: os.DirEntry[str]) -> bool:
    """Whether this is a Python file, or was meant to be one: a link that leads nowhere is worth a word."""
    if not entry.name.endswith(SUFFIXES) or entry.name.startswith(_LOCK):
        return False
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True
