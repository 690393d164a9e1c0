"""What git ignores: nested .gitignore files, .git/info/exclude and the user's global file.

git itself is not run. Nothing is ignored outside of a repository, and what is ignored is said per entry, from the
outside in: nothing below an ignored folder is ever asked about.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec, RegexPattern

_SECTION = re.compile(r"^\s*\[\s*([^\]\s\"]+)\s*(\"[^\"]*\")?\s*\]\s*(.*)$")
_BY_FOLDER = "ps_d"
"""The group of pathspec's expressions that takes part where not the path but a folder it is in matches."""
_EXCLUDES_FILE = re.compile(r"^\s*excludesfile\s*=\s*(.*?)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Pattern:
    """One line of an ignore file."""

    expression: re.Pattern[str]
    ignores: bool
    folders_only: bool

    def matches(self, relative: str, is_folder: bool) -> bool:
        """Whether the path itself matches, not a folder it is in: that one was asked about before."""
        if self.folders_only and not is_folder:
            return False
        found = self.expression.match(relative)
        return found is not None and not found.groupdict().get(_BY_FOLDER)


@dataclass(frozen=True, slots=True)
class _Layer:
    """The patterns of one file and the folder that they are relative to."""

    base: str
    patterns: tuple[_Pattern, ...]

    def says(self, path: str, is_folder: bool) -> bool | None:
        """Whether the path is ignored; None where no pattern speaks of it. The last one that does counts."""
        relative = os.path.relpath(path, self.base).replace(os.sep, "/")
        return next((each.ignores for each in reversed(self.patterns) if each.matches(relative, is_folder)), None)


@dataclass(frozen=True, slots=True)
class Ignoring:
    """What is ignored in one folder; the layers that weigh least come first."""

    repository: str = ""
    layers: tuple[_Layer, ...] = ()

    def ignores(self, path: str, is_folder: bool) -> bool:
        """Whether git ignores an entry of this folder."""
        for layer in reversed(self.layers):
            answer = layer.says(path, is_folder)
            if answer is not None:
                return answer
        return False

    def entering(self, folder: str) -> Ignoring:
        """What is ignored in a folder below this one (or in this one): its own file counts, too."""
        start = self
        if folder != self.repository and _is_repository(folder):
            start = _of_repository(folder)
        if not start.repository:
            return start
        own = _read(os.path.join(folder, ".gitignore"), folder, follow=False)
        return Ignoring(start.repository, (*start.layers, *own))


def outside(folder: str) -> Ignoring:
    """What the folders above say about an absolute folder that was named by the user.

    If they ignore the folder itself they have nothing to say: it was named all the same.
    """
    above = [folder]
    while not _is_repository(above[-1]):
        parent = os.path.dirname(above[-1])
        if parent == above[-1]:
            return Ignoring()
        above.append(parent)
    ignoring = bare = _of_repository(above[-1])
    for inner in reversed(above[:-1]):
        ignoring = ignoring.entering(os.path.dirname(inner))
        if ignoring.ignores(inner, is_folder=True):
            return Ignoring(bare.repository)
    return ignoring


def _is_repository(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git"))


def _of_repository(folder: str) -> Ignoring:
    git = _git_folder(folder)
    common = _first_line(git / "commondir")
    shared = Path(os.path.join(git, common)) if common else git
    layers = (
        *_read(_global_file(shared / "config"), folder),
        *_read(str(shared / "info" / "exclude"), folder),
    )
    return Ignoring(folder, layers)


def _git_folder(folder: str) -> Path:
    """Where git keeps its own: `.git`, or what that file points to (a worktree, a submodule)."""
    git = Path(folder, ".git")
    pointer = _first_line(git) if git.is_file() else ""
    return Path(os.path.join(folder, pointer.removeprefix("gitdir:").strip())) if pointer else git


def _first_line(path: Path) -> str:
    try:
        return path.read_text("utf-8", "surrogateescape").partition("\n")[0].strip()
    except (OSError, ValueError):
        return ""


# ---- the global file


def _global_file(repository_config: Path) -> str:
    """The user's own ignore file: what `core.excludesFile` says last, or git's default."""
    home = os.path.expanduser("~")
    xdg = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    personal = [os.path.join(xdg, "git", "config"), os.path.join(home, ".gitconfig")]
    if "GIT_CONFIG_GLOBAL" in os.environ:
        personal = [os.environ["GIT_CONFIG_GLOBAL"]]
    chosen = os.path.join(xdg, "git", "ignore")
    for config in ("/etc/gitconfig", *personal, str(repository_config)):
        chosen = _excludes_file(config) or chosen
    return os.path.expanduser(chosen)


def _excludes_file(config: str) -> str:
    """What `core.excludesFile` is in a file of git's configuration."""
    try:
        text = Path(config).read_text("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""
    found, in_core = "", False
    for line in text.splitlines():
        if section := _SECTION.match(line):
            in_core = section[1].lower() == "core" and not section[2]
            line = section[3]
        if in_core and (setting := _EXCLUDES_FILE.match(line)):
            found = setting[1].strip('"')
    return found


# ---- files of patterns


def _read(file: str, base: str, follow: bool = True) -> tuple[_Layer, ...]:
    """The patterns of a file, if there is one; git does not follow a link in their place."""
    try:
        if not file or (not follow and os.path.islink(file)):
            return ()
        text = Path(file).read_bytes().decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    except OSError:
        return ()
    patterns = tuple(pattern for line in text.split("\n") for pattern in _patterns(line.removesuffix("\r")))
    return (_Layer(base, patterns),)


def _patterns(line: str) -> Iterator[_Pattern]:
    """The pattern of a line, if there is one that git would take."""
    bare = line if line.endswith("\\ ") else line.rstrip(" ")
    folders_only = bare.endswith("/")
    try:
        read = GitIgnoreSpec.from_lines([bare.removesuffix("/")]).patterns
    except ValueError:
        return
    for pattern in read:
        if isinstance(pattern, RegexPattern) and pattern.regex is not None and pattern.include is not None:
            yield _Pattern(re.compile(pattern.regex.pattern), pattern.include, folders_only)
