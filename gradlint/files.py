"""The files that are linted, from what the user names."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from gradlint import ignoring
from gradlint.frozen import frozen
from gradlint.ignoring import Ignoring
from gradlint.patterns import matches

SUFFIXES = (".py", ".pyi")
"""The endings of the names of modules."""
DEFAULT_INCLUDE = ("*.py", "*.pyi", "*.ipynb")
"""The files that are linted in a folder, where the configuration does not say otherwise."""
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
_LOCK = ".#"
"""The prefix of links that Emacs leaves beside a file that is being edited; they lead nowhere."""


@frozen()
class Excluded:
    """The exclusions of a folder: paths that match `patterns`, which belong to `base`, what git ignores, and files that
    do not match `include`."""

    base: str
    patterns: tuple[str, ...]
    respect_gitignore: bool = True
    include: tuple[str, ...] = DEFAULT_INCLUDE


@dataclass(slots=True)
class Found:
    """Absolute paths, each once and in order: what is linted, folders that cannot be listed (with the reason), paths
    as they were named that do not exist, and files of git's that cannot be read (with the reason)."""

    files: list[str] = field(default_factory=list)
    closed: list[tuple[str, str]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    unread: dict[str, str] = field(default_factory=dict)


def find(paths: Iterable[str], excluded: Callable[[str], Excluded], force_exclude: bool = False) -> Found:
    """All files to lint: those that are named, and the files in folders that are named which are to be linted there.

    `excluded` says what is left out of an absolute folder. What is named itself is left out only if `force_exclude`.
    A file with several names is linted once: by the name it was found by first, in a folder by its own.
    """
    found = Found()
    files: dict[str, str] = {}
    for named in paths:
        path = os.path.abspath(named)
        if not _is_there(path):
            found.missing.append(named)
        elif force_exclude and is_excluded(path, excluded(os.path.dirname(path))):
            continue
        elif os.path.isdir(path):
            root = os.path.realpath(path)
            own, links = _walk(path, excluded, found)
            for file in own:
                files.setdefault(os.path.join(root, file[len(path) :].lstrip(os.sep)), file)
            for file in links:
                files.setdefault(os.path.realpath(file), file)
        else:
            files.setdefault(os.path.realpath(path), path)
    found.files = sorted(files.values())
    found.closed = sorted(set(found.closed))
    return found


def here() -> str:
    """The folder one stands in; the root where that is gone."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return os.path.abspath(os.sep)


def displayed(path: str) -> str:
    """Return an absolute path as reports name it: from the current folder where it is there and the path below it, else
    in full."""
    try:
        return path.removeprefix(os.path.join(os.getcwd(), ""))
    except FileNotFoundError:
        return path


def _is_there(path: str) -> bool:
    """Return whether something is at a path, as far as one may know: what may not be looked at is there."""
    try:
        os.lstat(path)
    except OSError as error:
        return error.errno not in _ABSENT
    return True


def is_excluded(path: str, excluded: Excluded) -> bool:
    """Return whether an absolute path, or a folder it is in, matches the patterns."""
    while path != excluded.base and path != os.path.dirname(path):
        if matches(path, excluded.patterns, excluded.base):
            return True
        path = os.path.dirname(path)
        if not path.startswith(os.path.join(excluded.base, "")):
            break
    return False


def _walk(root: str, excluded: Callable[[str], Excluded], found: Found) -> tuple[list[str], list[str]]:
    """The files below a folder that are to be linted, and the links to such. Links to folders are not followed: they
    may lead back."""
    files: list[str] = []
    links: list[str] = []
    waiting = [(root, ignoring.outside(root))]
    while waiting:
        folder, ignored = waiting.pop()
        ignored = ignored.entering(folder)
        out = excluded(folder)
        if out.respect_gitignore:
            found.unread |= ignored.unread
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            found.closed.append((folder, error.strerror or str(error)))
            continue
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if not (is_folder or _may_be_linted(entry, out)) or _is_left_out(entry, is_folder, out, ignored):
                continue
            if is_folder:
                waiting.append((entry.path, ignored))
            else:
                (links if entry.is_symlink() else files).append(entry.path)
    return files, sorted(links)


def _is_left_out(entry: os.DirEntry[str], is_folder: bool, out: Excluded, ignored: Ignoring) -> bool:
    if matches(entry.path, out.patterns, out.base):
        return True
    return out.respect_gitignore and ignored.ignores(entry.path, is_folder)


def _may_be_linted(entry: os.DirEntry[str], out: Excluded) -> bool:
    """Return whether this is a file to be linted, or was meant to be one: a link that leads nowhere is worth a word."""
    if entry.name.startswith(_LOCK) or not matches(entry.path, out.include, out.base):
        return False
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True
