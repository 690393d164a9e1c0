"""Queries about the files of a project: each is answered once, and what its answer rests on is kept beside it.

A query is a name with its arguments. Its answer rests on inputs: the content of files, the Python files and folders in
a folder, what a path leads to. Who remembers a result remembers the queries that it asked and the inputs below them:
while the inputs are the same it holds, and where one has changed it still holds if all its queries get the answers that
they got before.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from gradlint.frozen import frozen
from gradlint.reading import MOST_CONFIGURED, TooLarge, read_regular

Query = tuple[Any, ...]
"""A name and arguments: strings, and tuples of strings."""
Input = tuple[str, str]
"""A kind, one of `FILE`, `FOLDER` and `PATH`, and an absolute path."""
INPUTS = FILE, FOLDER, PATH = "file", "folder", "path"

MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "gradlint.toml")
"""The files and folders that lie in the outermost folder of a project."""
SUFFIX = ".py"
SUFFIXES = (SUFFIX, ".ipynb")
"""The endings of modules, and of all that imports them."""
MOST_ENTRIES = 5_000
"""The most entries of a folder in which callers are looked for."""
MOST_LOOSE = 50
"""The most inputs below an answer that are noted one by one."""
SETTLED = 2_000_000_000
"""Nanoseconds after which a change of a file has another time than the one before, wherever the file lies."""
AnswerT = TypeVar("AnswerT")


@frozen()
class Fingerprint:
    """The fingerprint of an input: `digest` of what counts of it, and a `stamp` that is the same only while nothing has
    changed; empty where nobody can be sure of that."""

    digest: str
    stamp: str = ""


@dataclass(slots=True)
class Dependencies:
    """The dependencies of a result: the digests of the answers to its queries, and the inputs below them as they were.
    Those of an answer that rests on many are a bundle: many results share it."""

    answers: dict[Query, str] = field(default_factory=dict)
    inputs: dict[Input, Fingerprint] = field(default_factory=dict)
    bundles: dict[frozenset[Input], dict[Input, Fingerprint]] = field(default_factory=dict)


@dataclass(slots=True)
class _Answer:
    given: Any
    inputs: frozenset[Input]
    digest: str = ""


class Queries:
    """Answers that were given. `keeping`: what they rest on is noted; else nobody asks for that."""

    def __init__(self, *, keeping: bool = False) -> None:
        self.keeping = keeping
        self._answers: dict[Query, _Answer] = {}
        self._fingerprints: dict[Input, Fingerprint] = {}
        self._bundles: dict[frozenset[Input], dict[Input, Fingerprint]] = {}
        self._below: list[set[Input]] = []
        self._noted: Dependencies | None = None

    @contextmanager
    def noted(self) -> Iterator[Dependencies]:
        """Note the queries and reads inside this block, as far as they are kept."""
        before = self._noted, self._below
        self._noted, self._below = Dependencies(), []
        try:
            yield self._noted
        finally:
            self._noted, self._below = before

    def ask(self, query: Query, answer: Callable[[], AnswerT]) -> AnswerT:
        """The answer to a query, which is asked for once."""
        known = self._answers.get(query)
        if known is None:
            self._below.append(set())
            try:
                given: AnswerT = answer()
            finally:
                below = self._below.pop()
            known = self._answers[query] = _Answer(given, frozenset(below))
        if self.keeping:
            self._note(query, known)
        given = known.given
        return given

    def _note(self, query: Query, known: _Answer) -> None:
        if self._below:
            self._below[-1] |= known.inputs
        elif self._noted is not None and query not in self._noted.answers:
            known.digest = known.digest or digest(repr(known.given).encode("utf-8", "surrogatepass"))
            self._noted.answers[query] = known.digest
            if len(known.inputs) > MOST_LOOSE:
                self._noted.bundles[known.inputs] = self._bundle(known.inputs)
            else:
                self._noted.inputs |= {each: self.fingerprint(each) for each in known.inputs}

    def _bundle(self, inputs: frozenset[Input]) -> dict[Input, Fingerprint]:
        """Inputs as they were."""
        if inputs not in self._bundles:
            self._bundles[inputs] = {each: self.fingerprint(each) for each in inputs}
        return self._bundles[inputs]

    def read(self, kind: str, path: str) -> None:
        """Note that an input is about to be looked at."""
        if not self.keeping:
            return
        fingerprint = self.fingerprint((kind, path))
        if self._below:
            self._below[-1].add((kind, path))
        elif self._noted is not None:
            self._noted.inputs[kind, path] = fingerprint

    def content(self, path: str) -> None:
        """Note that the content of a file is about to be looked at, as a query of its own."""
        self.read(FILE, path)
        if self.keeping and not self._below and self._noted is not None:
            self._noted.answers["content", path] = self.fingerprint((FILE, path)).digest

    def fingerprint(self, of: Input) -> Fingerprint:
        """Return the fingerprint of an input when it was first looked at."""
        if of not in self._fingerprints:
            self._fingerprints[of] = fingerprint(of)
        return self._fingerprints[of]


# ---- inputs


def fingerprint(of: Input) -> Fingerprint:
    """Return an input's present fingerprint. Its stamp is older than its digest: later changes are seen next time."""
    kind, path = of
    seen = "" if kind == PATH else stamp(path)
    return Fingerprint(_DIGESTS[kind](path), seen)


def stamp(path: str) -> str:
    """Return the stamp of a file or folder by the system, which changes whenever it does; empty where there is none, or
    where it has changed so lately that it may change once more without this being seen."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ""
    if time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < SETTLED:
        return ""
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


def digest(data: bytes) -> str:
    """A short name for these bytes and no others."""
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def _content(path: str) -> str:
    try:
        return digest(read_regular(path, MOST_CONFIGURED))
    except TooLarge:
        return "too large"
    except (OSError, ValueError) as error:
        return f"unreadable: {getattr(error, 'errno', None)}"


def _listing(path: str) -> str:
    try:
        with os.scandir(path) as listing:
            entries = list(listing)
    except (OSError, ValueError) as error:
        return f"unreadable: {getattr(error, 'errno', None)}"
    named = sorted(f"{entry.name}/{_kind(entry)}" for entry in entries if counts(entry))
    named.append(str(len(entries) > MOST_ENTRIES))
    return digest("\n".join(named).encode("utf-8", "surrogatepass"))


def counts(entry: os.DirEntry[str]) -> bool:
    """Return whether something in a folder makes a difference to who looks for modules there."""
    if entry.name in MARKERS or entry.is_symlink():
        return True
    return is_plain(entry.name) and (entry.name.endswith(SUFFIXES) or entry.is_dir(follow_symlinks=False))


def is_plain(name: str) -> bool:
    """Return whether a file or folder of this name counts in its folder: hidden ones and Python's own do not."""
    return not name.startswith(".") and name != "__pycache__"


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "link"
    return "folder" if entry.is_dir(follow_symlinks=False) else "file"


def _target(path: str) -> str:
    try:
        return f"{os.path.realpath(path)}:{stat.S_IFMT(os.stat(path).st_mode)}"
    except (OSError, ValueError) as error:
        return f"unreadable: {getattr(error, 'errno', None)}"


_DIGESTS = {FILE: _content, FOLDER: _listing, PATH: _target}
