"""The plugin for flake8: what `gradlint FILE` finds, as findings of flake8.

flake8 makes a checker for each file, in processes that live as long as its run; what all files share is kept in each
of them. A file is linted where it, or one that it imports, names torch or a library that works with it: most that
flake8 is run on do not, and it is to be no slower for them. A file that Python cannot parse is told by flake8 itself.
"""

from __future__ import annotations

import ast
import contextlib
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from functools import cache

from gradlint import CACHE_VARIABLE, __version__, gate, planning, run, texts
from gradlint.catalogue import Catalogue
from gradlint.config import BadConfig
from gradlint.finding import Finding
from gradlint.report.entry import Entry, escaped
from gradlint.resolving import Resolver
from gradlint.results import not_linted, one_line, unreadable
from gradlint.selection import UnknownRule
from gradlint.settings import Request, Settings
from gradlint.versions import UnknownVersion

UNNAMED = ("stdin", run.STDIN)
"""The names that flake8 gives to what comes over stdin where nobody gives it one."""
TORCH = "torch"
"""Part of the names of torch and of most libraries that work with it."""

Told = tuple[int, int, str, type]
"""A finding as flake8 takes it: row, column from 0, code and message, and who reports it."""


class Plugin:
    """The checker of one file, as flake8 makes it."""

    name = "gradlint"
    version = __version__

    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str) -> None:
        """The tree is not looked at: by asking for it a plugin says that it checks whole files."""
        self._text, self._filename = "".join(lines), filename

    def run(self) -> Iterator[Told]:
        """The findings. What goes wrong is one of them, and nothing is raised."""
        for finding in _found(self._text, self._filename):
            message = f"{finding.code} {escaped(finding.message)}"
            yield finding.place.row, finding.place.column - 1, message, type(self)


def _found(text: str, filename: str) -> tuple[Finding, ...]:
    try:
        return tuple(entry.finding for entry in lint(text, filename))
    except run.Refused as error:
        return (unreadable(f"gradlint cannot be run: {error}"),)
    except Exception as error:  # whatever goes wrong is told in a line
        return (not_linted(f"internal error: {one_line(error)}; please report it"),)


def lint(text: str, filename: str) -> tuple[Entry, ...]:
    """Return the entries of a text that flake8 has read under a name. Raises `run.Refused`."""
    try:
        request = _shared(os.getcwd()).request(text, filename)
    except (BadConfig, UnknownRule, UnknownVersion) as error:
        raise run.Refused(str(error)) from error
    if request is None:
        return ()
    with _may_have_children():
        outcome = run.lint(request, _installed)
    if outcome.interrupted is not None:
        raise KeyboardInterrupt
    return outcome.entries


# ---- what is asked for


class _Shared:
    """The state that files linted from one folder share: the settings, what is installed, the project."""

    def __init__(self, settings: Settings, catalogue: Catalogue) -> None:
        self._settings, self._catalogue, self._project = settings, catalogue, Resolver()
        self._leading_nowhere: dict[tuple[str, ...], set[str]] = {}

    def request(self, text: str, filename: str) -> Request | None:
        """Return the request to lint the file of this name if it holds the text, else the text; None where nothing can
        be found in it."""
        file = os.path.abspath("stdin.py" if filename in UNNAMED else filename)
        named = filename not in UNNAMED
        on_disk = named and os.path.isfile(file)
        held = self._held(file) if on_disk else text
        if held is None or (on_disk and texts.rows(held) == texts.rows(text)):
            is_open = held is None or self._may_find(held, file, named=True)
            return _request(paths=(filename,)) if is_open else None
        if not self._may_find(text, file, named=named):
            return None
        return _request(paths=(run.STDIN,), stdin=_bytes(text), stdin_filename=filename if named else None)

    def _held(self, file: str) -> str | None:
        """The text that a file holds; None where there is to be told why it cannot be had."""
        data = planning.read(file, self._settings.most_source(file))
        try:
            return None if isinstance(data, Finding) else texts.decode(data)
        except texts.Unreadable:
            return None

    def _may_find(self, text: str, file: str, *, named: bool) -> bool:
        """Return whether something can be found in a text."""
        terms = self._settings.terms(file)
        names = (TORCH, *self._catalogue.libraries, *terms.known.roots)
        if not (texts.mentions(text, names) or (named and self._leads_to(names, file))):
            return False
        rules = [rule for rule in self._catalogue.rules if rule.code in terms.heard]
        needed = gate.needed(rules, (*self._catalogue.words, *terms.known.roots))
        return gate.has_words(text, needed, self._project.at(file) if named else None)

    def _leads_to(self, names: tuple[str, ...], file: str) -> bool:
        """Return whether a file imports one with such a name in it, directly or not. Files that lead to none are
        remembered: each is looked at once."""
        known = self._leading_nowhere.setdefault(names, set())
        met, waiting = {file}, [file]
        while waiting:
            for path in self._project.at(waiting.pop()).imported():
                if path in met or path in known:
                    continue
                if texts.mentions(self._project.text(path) or "", names):
                    return True
                met.add(path)
                waiting.append(path)
        known |= met
        return False


@cache
def _shared(folder: str) -> _Shared:
    """Return the shared state of the folder one stands in. Raises `run.Refused`."""
    with run.prepared(_request(), _installed) as (settings, installed):
        return _Shared(settings, installed.catalogue)


def _request(paths: tuple[str, ...] = (), stdin: bytes = b"", stdin_filename: str | None = None) -> Request:
    cache_dir = os.environ.get(CACHE_VARIABLE) or None
    return Request(paths, stdin, stdin_filename, jobs=1, cache=True, cache_dir=cache_dir)


def _bytes(text: str) -> bytes:
    """A text as a file would hold it, whatever encoding it declares."""
    try:
        return texts.encode(text)
    except (texts.Unreadable, UnicodeError):
        return text.encode("utf-8", "surrogatepass")


# ---- what is installed, and processes


@cache
def _installed() -> planning.Installation:
    """All that is installed. Raises `run.Refused` if some of it cannot be used."""
    from gradlint import registry

    try:
        return registry.installed()
    except registry.BrokenPack as error:
        raise run.Refused(str(error)) from error


@contextlib.contextmanager
def _may_have_children() -> Iterator[None]:
    """Let this process start others inside this block, as those of a pool may not: the limits under which a file is
    linted are those of a process of its own, which is always waited for."""
    process = multiprocessing.current_process()
    before = process.daemon
    if not before:
        yield
        return
    process.daemon = False
    try:
        yield
    finally:
        process.daemon = before
