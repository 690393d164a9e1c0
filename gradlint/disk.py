"""The files of a project: on the disk, or in memory."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from gradlint import kinds, texts
from gradlint.queries import FILE, FOLDER, MARKERS, MOST_ENTRIES, PATH, SUFFIX, SUFFIXES, Queries, is_plain
from gradlint.reading import TooLarge, read_regular, read_start

INSTALLED = ("site-packages", "dist-packages")
"""Folders of libraries: a file in one of them can import its own package and no other."""
LONGEST = 400_000
"""Longer files (characters; bytes on disk) are not looked at."""
MOST_OUTPUT = 10 * LONGEST
"""Longer notebooks (bytes) are not looked at, however little of one is source."""
HEAD = 2_000
"""The characters at the start of a file that may say what it was generated from."""
MOST_CALLING = 300
"""The most files of a project in which callers are looked for."""


class Files(Protocol):
    """A store of files."""

    def is_file(self, path: str) -> bool: ...
    def is_folder(self, path: str) -> bool: ...
    def outermost(self, folder: str) -> str:
        """The outermost folder of the project that a folder belongs to."""

    def starts(self, folder: str) -> Iterable[tuple[str, str]]:
        """The names of the Python files in a folder, and what each begins with: `HEAD` characters or fewer."""

    def below(self, folder: str) -> Sequence[str]:
        """The paths of all Python files and notebooks in a folder and those inside it, in order; none where that is
        too many."""

    def opened(self, path: str) -> str:
        """The text of a file. Raises `OSError` and `ValueError` where it is none or too long, `texts.Unreadable` where
        it is no text."""


class InMemory:
    """Files by relative path, all of one project."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)

    def is_file(self, path: str) -> bool:
        return path in self.texts

    def is_folder(self, path: str) -> bool:
        return any(name.startswith(f"{path}/") for name in self.texts)

    def outermost(self, folder: str) -> str:
        return ""

    def starts(self, folder: str) -> Iterable[tuple[str, str]]:
        there = [(os.path.split(path), text) for path, text in self.texts.items()]
        return [(name, text[:HEAD]) for (above, name), text in there if above == folder]

    def below(self, folder: str) -> Sequence[str]:
        found = sorted(path for path in self.texts if path.endswith(".py"))
        return found if len(found) <= MOST_CALLING else []

    def opened(self, path: str) -> str:
        if len(self.texts[path]) > LONGEST:
            raise TooLarge(LONGEST, path)
        return self.texts[path]


class OnDisk:
    """Files by absolute path. Each is asked for once and then taken to be as it was; `queries` are told of it."""

    def __init__(self, queries: Queries | None = None) -> None:
        self.queries = Queries() if queries is None else queries
        self.kinds: dict[str, int] = {}

    def is_file(self, path: str) -> bool:
        return stat.S_ISREG(self._kind(path))

    def is_folder(self, path: str) -> bool:
        return stat.S_ISDIR(self._kind(path))

    def _kind(self, path: str) -> int:
        """The mode of a path, 0 where nothing is; a link that leads out of its folder leads nowhere."""
        folder, name = os.path.split(path)
        self.queries.read(*((FOLDER, folder) if is_plain(name) else (PATH, path)))
        kind = self.kinds.get(path)
        if kind is None:
            kind = self.kinds[path] = self._mode(path)
        return kind

    def _mode(self, path: str) -> int:
        try:
            mode = os.lstat(path).st_mode
            if not stat.S_ISLNK(mode):
                return mode
            self.queries.read(PATH, path)
            inside = os.path.join(os.path.realpath(os.path.dirname(path)), "")
            return os.stat(path).st_mode if os.path.realpath(path).startswith(inside) else 0
        except (OSError, ValueError):
            return 0

    def outermost(self, folder: str) -> str:
        return next((above for above in upwards(folder) if self._is_marked(above)), folder)

    def starts(self, folder: str) -> Iterable[tuple[str, str]]:
        self.queries.read(FOLDER, folder)
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX) and is_plain(name))
        except OSError:
            return
        for name in names:
            path = os.path.join(folder, name)
            try:
                if self.is_file(path):
                    self.queries.read(FILE, path)
                    yield name, read_start(path, HEAD).decode("utf-8", "replace")
            except (OSError, ValueError):
                continue

    def below(self, folder: str) -> Sequence[str]:
        found, waiting, met = list[str](), [folder], 0
        while waiting:
            at = waiting.pop()
            self.queries.read(FOLDER, at)
            try:
                entries = list(os.scandir(at))
            except OSError:
                continue
            of_modules = [entry for entry in entries if _is_of_modules(entry)]
            met += len(of_modules)
            if max(met, len(entries)) > MOST_ENTRIES:
                return []
            found += (entry.path for entry in of_modules if entry.name.endswith(SUFFIXES))
            waiting += (entry.path for entry in of_modules if not entry.name.endswith(SUFFIXES))
            if len(found) > MOST_CALLING:
                return []
        return sorted(found)

    def _is_marked(self, folder: str) -> bool:
        self.queries.read(FOLDER, folder)
        return any(os.path.lexists(os.path.join(folder, name)) for name in MARKERS)

    def opened(self, path: str) -> str:
        self.queries.read(FILE, path)
        data = read_regular(path, MOST_OUTPUT if path.endswith(kinds.NOTEBOOK) else LONGEST)
        return kinds.read(data, path, LONGEST).sound(texts.fault).program


def _is_of_modules(entry: os.DirEntry[str]) -> bool:
    """Return whether this is a Python file, or a folder that may hold some."""
    if not is_plain(entry.name) or entry.name in INSTALLED or entry.is_symlink():
        return False
    return entry.name.endswith(SUFFIXES) or entry.is_dir()


def upwards(folder: str) -> Iterator[str]:
    """A folder and those above it; those above a folder of installed libraries are another world."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder or os.path.basename(folder) in INSTALLED:
            return
        folder = above
