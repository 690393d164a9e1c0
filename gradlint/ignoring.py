"""The paths that git ignores: nested .gitignore files, .git/info/exclude and the user's global file.

git itself is not run. Nothing is ignored outside of a repository, and what is ignored is said per entry, from the
outside in: nothing below an ignored folder is ever asked about. As to git, paths and patterns are bytes; each is
written here as the character of the same number.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator
from dataclasses import field
from functools import cache

from gradlint import globs
from gradlint.frozen import frozen
from gradlint.reading import MOST_SETTINGS, read_regular, reason

_SECTION = re.compile(r"^\s*+\[\s*+([^\]\s\"]++)\s*+(\"[^\"]*+\"\s*+)?\]\s*+(.*)$")
_EXCLUDES_FILE = re.compile(r"^\s*+excludesfile\s*+=(.*)$", re.IGNORECASE)


@frozen()
class _Pattern:
    """One line of an ignore file; without a slash it is held against the name alone."""

    glob: str
    ignores: bool
    folders_only: bool
    by_name: bool

    def matches(self, relative: str, is_folder: bool) -> bool:
        """Return whether the path itself matches, not a folder it is in: that one was asked about before."""
        if self.folders_only and not is_folder:
            return False
        held = relative.rpartition("/")[2] if self.by_name else relative
        if globs.is_plain(self.glob):
            return held == self.glob
        if self.by_name and self.glob[0] == "*" and globs.is_plain(self.glob[1:]):
            return held.endswith(self.glob[1:])
        return _expression(self.glob).match(held) is not None


@cache
def _expression(glob: str) -> re.Pattern[str]:
    """The glob as an expression; to git, what is none matches nothing."""
    try:
        return re.compile(globs.translate(glob), re.DOTALL)
    except globs.BadGlob:
        return globs.NOTHING


@frozen()
class _Layer:
    """The patterns of one file and the folder that they are relative to."""

    base: str
    patterns: tuple[_Pattern, ...]

    def says(self, path: str, is_folder: bool) -> bool | None:
        """Return whether the path is ignored; None where no pattern speaks of it. The last one that does counts."""
        relative = os.fsencode(os.path.relpath(path, self.base)).replace(os.fsencode(os.sep), b"/").decode("latin-1")
        return next((each.ignores for each in reversed(self.patterns) if each.matches(relative, is_folder)), None)


@frozen()
class Ignoring:
    """The patterns that ignore paths in one folder; the layers that weigh least come first. `unread` are the files of
    git's that are there and could not be read on the way, with the reason."""

    repository: str = ""
    layers: tuple[_Layer, ...] = ()
    unread: dict[str, str] = field(default_factory=dict, compare=False)

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Return whether git ignores an entry of this folder."""
        for layer in reversed(self.layers):
            answer = layer.says(path, is_folder)
            if answer is not None:
                return answer
        return False

    def entering(self, folder: str) -> Ignoring:
        """Return the patterns for a folder below this one (or for this one): its own file counts, too."""
        start = self
        if folder != self.repository and _is_repository(folder):
            start = _of_repository(folder, self.unread)
        if not start.repository:
            return start
        own = _read(os.path.join(folder, ".gitignore"), folder, self.unread, follow=False)
        return Ignoring(start.repository, (*start.layers, *own), self.unread)


def outside(folder: str) -> Ignoring:
    """Return the patterns of the folders above an absolute folder that was named by the user.

    If they ignore the folder itself they have nothing to say: it was named all the same.
    """
    above = [folder]
    while not _is_repository(above[-1]):
        parent = os.path.dirname(above[-1])
        if parent == above[-1]:
            return Ignoring()
        above.append(parent)
    ignoring = bare = _of_repository(above[-1], {})
    for inner in reversed(above[:-1]):
        ignoring = ignoring.entering(os.path.dirname(inner))
        if ignoring.ignores(inner, is_folder=True):
            return Ignoring(bare.repository, unread=bare.unread)
    return ignoring


def _is_repository(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git"))


def _of_repository(folder: str, unread: dict[str, str]) -> Ignoring:
    git = _git_folder(folder, unread)
    common = _first_line(os.path.join(git, "commondir"), unread)
    shared = os.path.join(git, common)
    layers = (
        *_read(_global_file(os.path.join(shared, "config"), unread), folder, unread),
        *_read(os.path.join(shared, "info", "exclude"), folder, unread),
    )
    return Ignoring(folder, layers, unread)


def _git_folder(folder: str, unread: dict[str, str]) -> str:
    """Return the folder of git's own data: `.git`, or what that file points to (a worktree, a submodule)."""
    git = os.path.join(folder, ".git")
    pointer = "" if os.path.isdir(git) else _first_line(git, unread)
    return os.path.join(folder, pointer.removeprefix("gitdir:").strip()) if pointer else git


def _first_line(file: str, unread: dict[str, str]) -> str:
    return os.fsdecode(_content(file, unread).partition(b"\n")[0].strip())


def _content(file: str, unread: dict[str, str]) -> bytes:
    """Return the content of a file; nothing where there is none."""
    try:
        return read_regular(file, MOST_SETTINGS)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except (OSError, ValueError) as error:
        unread[file] = reason(error)
        return b""


# ---- the global file


def _global_file(repository_config: str, unread: dict[str, str]) -> str:
    """The user's own ignore file: what `core.excludesFile` says last, or git's default."""
    home = os.path.expanduser("~")
    xdg = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    personal = [os.path.join(xdg, "git", "config"), os.path.join(home, ".gitconfig")]
    if "GIT_CONFIG_GLOBAL" in os.environ:
        personal = [os.environ["GIT_CONFIG_GLOBAL"]]
    chosen = os.path.join(xdg, "git", "ignore")
    for config in ("/etc/gitconfig", *personal, repository_config):
        chosen = _excludes_file(config, unread) or chosen
    return os.path.expanduser(chosen)


def _excludes_file(config: str, unread: dict[str, str]) -> str:
    """Return the `core.excludesFile` of a file of git's configuration."""
    found, in_core = "", False
    for line in os.fsdecode(_content(config, unread)).splitlines():
        if section := _SECTION.match(line):
            in_core = section[1].lower() == "core" and not section[2]
            line = section[3]
        if in_core and (setting := _EXCLUDES_FILE.match(line)):
            found = setting[1].strip().strip('"')
    return found


# ---- files of patterns


def _read(file: str, base: str, unread: dict[str, str], follow: bool = True) -> tuple[_Layer, ...]:
    """The patterns of a file, if there is one; git does not follow a link in their place."""
    if not file or (not follow and os.path.islink(file)):
        return ()
    lines = _content(file, unread).removeprefix(codecs.BOM_UTF8).decode("latin-1").split("\n")
    return (_Layer(base, tuple(pattern for line in lines for pattern in _patterns(line.removesuffix("\r")))),)


def _patterns(line: str) -> Iterator[_Pattern]:
    """The pattern of a line, if there is one."""
    bare = _without_spaces(line.partition("\0")[0])
    glob = bare.removeprefix("!")
    ignores, folders_only = glob == bare, glob.endswith("/")
    glob = glob.removesuffix("/")
    if glob and not bare.startswith("#"):
        yield _Pattern(glob.removeprefix("/"), ignores, folders_only, by_name="/" not in glob)


def _without_spaces(line: str) -> str:
    """A line without the spaces it ends in; one behind a backslash stays."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2
    return line[: len(bare) + escaped]
