"""Configuration: `[tool.gradlint]` of a pyproject.toml, or a gradlint.toml.

The file closest to each linted file counts, and it alone, with the file that it extends; paths are relative to the
folder of the file that names them.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from gradlint import patterns
from gradlint.files import DEFAULT_INCLUDE, here
from gradlint.finding import Confidence
from gradlint.frozen import frozen
from gradlint.reading import MEGABYTE, MOST_CONFIGURED, MOST_SETTINGS, read_regular, reason
from gradlint.report import FORMATS
from gradlint.selection import Layer
from gradlint.versions import UnknownVersion, Version, parse

OWN_FILE, SHARED_FILE = "gradlint.toml", "pyproject.toml"
EXTEND = "extend"
MOST_EXTENDED = 50
"""The most files that may each extend the next."""
DEFAULT_EXCLUDE = (
    *(".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".gradlint_cache", ".hg", ".ipynb_checkpoints"),
    *(".mypy_cache", ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox"),
    *(".venv", ".vscode", "__pypackages__", "_build", "buck-out", "build", "dist", "node_modules", "site-packages"),
    "venv",
)


_MOST_DOTS = 500
"""The most dots in a line: for a key, `tomllib` takes time with the square of its parts."""


class _NoPattern(Exception):
    """A text that is no pattern of paths."""


class BadConfig(Exception):
    """A configuration that cannot be used; the message names the file, the key and the cure."""


@frozen()
class Config:
    """A configuration. `file` is where, empty if nowhere; paths are relative to `folder`. What a file does not say
    (`said` are the fields that it does) is as in the `base` that it extends, but for the rules that it chooses: those
    go on from what the base has left."""

    folder: str
    file: str = ""
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    include: tuple[str, ...] = DEFAULT_INCLUDE
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True
    output_format: str | None = None
    min_confidence: Confidence | None = None
    known_modules: tuple[str, ...] = ()
    no_grad_wrappers: tuple[str, ...] = ()
    backward_wrappers: tuple[str, ...] = ()
    target_torch: Version | None = None
    cache_dir: str | None = None
    baseline: str | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    fixable: tuple[str, ...] | None = None
    unfixable: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    base: Config | None = None
    said: frozenset[str] = field(default=frozenset(), compare=False)

    def layers(self) -> tuple[Layer, ...]:
        """Return the layers of choices of rules: first that of the file that is extended."""
        before = () if self.base is None else self.base.layers()
        return *before, Layer(self.select, self.extend_select, self.ignore, origin=self.file)

    def files(self) -> tuple[str, ...]:
        """The file, and those that it extends, each behind the one that does."""
        return *((self.file,) if self.file else ()), *(() if self.base is None else self.base.files())

    def origin(self, key: str) -> str:
        """The file that says a field."""
        return self.file if self.base is None or key in self.said else self.base.origin(key)


# ---- finding the file


class Configs:
    """The configuration of every folder: of one `file` for all, of none if `isolated`, else of the closest file."""

    def __init__(self, file: str | None = None, isolated: bool = False) -> None:
        self._fixed = load(os.path.abspath(file)) if file else Config(here()) if isolated else None
        self._known: dict[str, Config] = {}

    def of(self, folder: str) -> Config:
        """The configuration for what lies directly in an absolute folder. Raises `BadConfig`."""
        if self._fixed is not None:
            return self._fixed
        if folder not in self._known:
            self._known[folder] = self._found(folder)
        return self._known[folder]

    def _found(self, folder: str) -> Config:
        own, shared = os.path.join(folder, OWN_FILE), os.path.join(folder, SHARED_FILE)
        if os.path.isfile(own):
            return load(own)
        if os.path.isfile(shared):
            tools = _content(shared).get("tool", {})
            if isinstance(tools, dict) and "gradlint" in tools:
                return _config(tools["gradlint"], shared)
        parent = os.path.dirname(folder)
        return Config(here()) if parent == folder else self.of(parent)


def load(file: str, extended_by: tuple[str, ...] = ()) -> Config:
    """The configuration of an absolute file of either kind, which is extended by others. Raises `BadConfig`."""
    content = _content(file)
    if os.path.basename(file) == SHARED_FILE:
        tools = content.get("tool", {})
        content = tools.get("gradlint", {}) if isinstance(tools, dict) else {}
    return _config(content, file, extended_by)


def _content(file: str) -> dict[str, Any]:
    try:
        text = read_regular(file, MOST_SETTINGS).decode()
        if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
            raise BadConfig(f"{file} is not read: a line in it has more than {_MOST_DOTS} dots")
        return tomllib.loads(text)
    except OSError as error:
        raise BadConfig(f"cannot read the configuration {file}: {reason(error)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadConfig(f"{file} is not TOML: {error}") from error


# ---- from TOML to settings


def _config(table: object, file: str, extended_by: tuple[str, ...] = ()) -> Config:
    if not isinstance(table, dict):
        raise BadConfig(f"{file}: `tool.gradlint` must be a table, not {_described(table)}")
    settings: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _READERS:
            raise BadConfig(f"{file}: unknown key `{key}`{_nearest(key, _READERS)}")
        expected, read = _READERS[key]
        try:
            settings[key.replace("-", "_")] = read(value)
        except (UnknownVersion, _NoPattern) as error:
            raise BadConfig(f"{file}: `{key}`: {error}") from None
        except (TypeError, ValueError):
            meant = _nearest(value, _CHOICES.get(key, ()))
            raise BadConfig(f"{file}: `{key}` must be {expected}, not {_described(value)}{meant}") from None
    folder = os.path.dirname(file)
    for name in {"baseline", "cache_dir"} & settings.keys():
        settings[name] = os.path.join(folder, settings[name])
    base = settings.pop(EXTEND, None)
    if base is None:
        return Config(folder, file, **settings)
    return _extending(_base(os.path.normpath(os.path.join(folder, base)), (*extended_by, file)), folder, file, settings)


# ---- what is extended


def _base(file: str, extended_by: tuple[str, ...]) -> Config:
    """The configuration of a file that others extend, each one the one before it."""
    *_, extending = extended_by
    if len(extended_by) > MOST_EXTENDED:
        raise BadConfig(f"{extending}: `{EXTEND}`: more than {MOST_EXTENDED} files extend each other")
    if not os.path.isfile(file):
        raise BadConfig(
            f"{extending}: `{EXTEND}`: there is no file {file}; paths are relative to {os.path.dirname(extending)}"
        )
    if os.path.realpath(file) in map(os.path.realpath, extended_by):
        raise BadConfig(f"{extending}: `{EXTEND}`: the files extend each other: {' -> '.join((*extended_by, file))}")
    return load(file, extended_by)


def _extending(base: Config, folder: str, file: str, settings: dict[str, Any]) -> Config:
    """The configuration of a file with what it does not say from the one that it extends."""
    inherited = {
        "include": _from(base, base.include),
        "exclude": _from(base, base.exclude),
        "per_file_ignores": tuple(
            (patterns.anchored(pattern, base.folder), words) for pattern, words in base.per_file_ignores
        ),
    }
    added = {
        "extend_exclude": (*_from(base, base.extend_exclude), *settings.get("extend_exclude", ())),
        "limits": {**base.limits, **settings.get("limits", {})},
    }
    own = {"select": None, "extend_select": (), "ignore": (), "base": base, "said": frozenset(settings)}
    return replace(base, folder=folder, file=file, **(own | inherited | settings | added))


def _from(base: Config, given: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns of a configuration as they are written in another folder."""
    return tuple(patterns.anchored(pattern, base.folder) for pattern in given)


# ---- from values to settings


def _described(value: object) -> str:
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: f'"{value}"', list: "a list", dict: "a table"}
    return f"{value!r}" if isinstance(value, list) else kinds.get(type(value), f"{value}")


def _nearest(word: object, known: Mapping[str, Any] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(str(word).lower().replace("_", "-"), list(known), n=1, cutoff=0.5)
    return f"; did you mean `{near[0]}`?" if near else ""


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError
    return tuple(value)


def _patterns(value: object) -> tuple[str, ...]:
    for pattern in (found := _strings(value)):
        _check_pattern(pattern)
    return found


def _check_pattern(pattern: str) -> None:
    if wrong := patterns.fault(pattern):
        raise _NoPattern(f"`{pattern}` is no pattern: {wrong}")


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _table_of_strings(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, dict):
        raise TypeError
    for pattern in value:
        _check_pattern(pattern.removeprefix("!"))
    return tuple((pattern, _strings(words)) for pattern, words in value.items())


def _output_format(value: object) -> str:
    if not isinstance(value, str) or value not in FORMATS:
        raise ValueError
    return value


def _confidence(value: object) -> Confidence:
    for confidence in Confidence:
        if str(confidence) == value:
            return confidence
    raise ValueError


def _extended(value: object) -> str:
    """A path, in which `~` and variables of the environment stand for what they are."""
    return os.path.expanduser(os.path.expandvars(_path(value)))


def _path(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise TypeError
    return value


LIMITS = {"seconds": 86_400, "memory": 1_000_000, "size": MOST_CONFIGURED // MEGABYTE}
"""The limits that can be set, each with its greatest value: CPU seconds and megabytes of memory that a file takes, and
the megabytes that it holds."""


def _limits(value: object) -> Mapping[str, int]:
    if not isinstance(value, dict) or not value.keys() <= LIMITS.keys():
        raise TypeError
    for name, most in value.items():
        if isinstance(most, bool) or not isinstance(most, int) or not 0 < most <= LIMITS[name]:
            raise TypeError
    return value


def _version(value: object) -> Version:
    if not isinstance(value, str):
        raise TypeError
    return parse(value)


_LIST = "a list of strings"
_CHOICES = {"output-format": tuple(FORMATS), "min-confidence": tuple(str(each) for each in Confidence)}
_READERS: dict[str, tuple[str, Callable[[object], object]]] = {
    EXTEND: ("a path in quotes", _extended),
    "select": (_LIST, _strings),
    "extend-select": (_LIST, _strings),
    "ignore": (_LIST, _strings),
    "per-file-ignores": ("a table of lists of strings", _table_of_strings),
    "include": (_LIST, _patterns),
    "exclude": (_LIST, _patterns),
    "extend-exclude": (_LIST, _patterns),
    "respect-gitignore": ("true or false", _boolean),
    "output-format": (f"one of {', '.join(FORMATS)}", _output_format),
    "min-confidence": ("certain, likely or possible", _confidence),
    "known-modules": (_LIST, _strings),
    "no-grad-wrappers": (_LIST, _strings),
    "backward-wrappers": (_LIST, _strings),
    "cache-dir": ("a path in quotes", _path),
    "baseline": ("a path in quotes", _path),
    "limits": ("a table of whole numbers above 0: seconds, memory, size", _limits),
    "fixable": (_LIST, _strings),
    "unfixable": (_LIST, _strings),
    "unsafe-fixes": ("true or false", _boolean),
    "target-torch": ('a version of torch in quotes, like "2.13"', _version),
}
