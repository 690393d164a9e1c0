"""Rules come from rule packs: installed distributions with an entry point in the group `gradlint.rules`.

An entry point names a package. Every module below it whose name does not begin with "_" and that has
a `rule` contributes it; gradlint's own rules come the same way as anybody's. Nothing else imports packs.

The current folder is the code being linted, so it is never searched for distributions, nor for the
modules of a pack, unless a pack is installed from just there in editable mode.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import Distribution, EntryPoint, distributions
from types import ModuleType
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from gradlint.rule import Rule

GROUP = "gradlint.rules"
CODE = re.compile(r"[A-Z]{3}[0-9]{3}")
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class BrokenPack(Exception):
    """A rule pack cannot be used: says which distribution and module, what is wrong, and what to do about it."""

    def __init__(self, distribution: str, module: str, problem: str, cure: str) -> None:
        super().__init__(distribution, module, problem, cure)
        self.distribution, self.module, self.problem, self.cure = distribution, module, problem, cure

    def __str__(self) -> str:
        return f"rule pack `{self.distribution}`, `{self.module}`: {self.problem}; {self.cure}"


def rules() -> tuple[Rule, ...]:
    """All rules of all installed packs, sorted by code. Raises `BrokenPack`."""
    packs = installed()
    found: list[tuple[str, ModuleType, Rule]] = []
    seen: set[str] = set()
    with _only_installed_code(packs):
        for distribution in packs:
            for entry in _entries(distribution):
                if entry.value not in seen:
                    seen.add(entry.value)
                    found += _rules_of(_named(distribution), entry)
    _check_unique(found)
    return tuple(sorted((rule for _, _, rule in found), key=lambda rule: rule.code))


def installed() -> tuple[Distribution, ...]:
    """The installed distributions that are rule packs, by name; of two with one name the first on the path."""
    found: dict[str, Distribution] = {}
    known: set[str] = set()
    for distribution in distributions(path=[entry for entry in sys.path if not _is_current(entry)]):
        name = _named(distribution)
        if name not in known and any(_entries(distribution)):
            found[name] = distribution
        known.add(name)
    return tuple(found[name] for name in sorted(found))


# ---- what may be trusted


def _is_current(entry: str) -> bool:
    """Whether an entry of `sys.path` is the current folder, however it is spelled."""
    if not entry:
        return True
    try:
        return os.path.samefile(entry, os.curdir)
    except OSError:
        return False


@contextmanager
def _only_installed_code(packs: Iterable[Distribution]) -> Iterator[None]:
    """Keep the current folder off `sys.path`, for what is linted could pose as a pack or as a library of one."""
    before = list(sys.path)
    trusted = any(_is_editable_here(pack) for pack in packs)
    sys.path[:] = [entry for entry in before if entry and (trusted or not _is_current(entry))]
    try:
        yield
    finally:
        sys.path[:] = before


def _is_editable_here(pack: Distribution) -> bool:
    """Whether its installer noted that the pack is used from the current folder."""
    try:
        origin = json.loads(pack.read_text("direct_url.json") or "{}")
        folder = url2pathname(unquote(urlsplit(origin["url"]).path))
        return bool(origin["dir_info"]["editable"]) and _is_current(folder)
    except (ValueError, KeyError, TypeError):
        return False


# ---- from an entry point to rules


def _named(distribution: Distribution) -> str:
    return str(distribution.metadata["Name"] or "without a name")


def _entries(distribution: Distribution) -> list[EntryPoint]:
    """The distribution's entry points in our group, in order."""
    return sorted(distribution.entry_points.select(group=GROUP), key=lambda entry: (entry.name, entry.value))


def _rules_of(distribution: str, entry: EntryPoint) -> Iterator[tuple[str, ModuleType, Rule]]:
    if entry.attr:
        problem = f"the entry point `{entry.name}` names `{entry.value}`, which is no package"
        raise BrokenPack(distribution, entry.module, problem, f"let it name the package alone: `{entry.module}`")
    for module in _walk(distribution, _imported(distribution, entry.module)):
        rule = getattr(module, "rule", None)
        if isinstance(rule, Rule):
            _check(distribution, module, rule)
            rule.page = module.__doc__ or ""
            rule.consequence = getattr(module, "consequence", None)
            yield distribution, module, rule


def _walk(distribution: str, module: ModuleType) -> Iterator[ModuleType]:
    """The module and all below it, in the order of their names."""
    yield module
    below = sorted(found.name for found in pkgutil.iter_modules(getattr(module, "__path__", ())))
    for name in below:
        if not name.startswith("_"):
            yield from _walk(distribution, _imported(distribution, f"{module.__name__}.{name}"))


def _imported(distribution: str, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        problem = f"importing it fails with {type(error).__name__}: {error}"
        raise BrokenPack(distribution, name, problem, "repair or uninstall the pack") from error


# ---- what a rule must have


def _check(distribution: str, module: ModuleType, rule: Rule) -> None:
    def broken(problem: str, cure: str) -> BrokenPack:
        return BrokenPack(distribution, module.__name__, problem, cure)

    if not CODE.fullmatch(rule.code):
        raise broken(f"`{rule.code}` is no code", "use three capital letters and three digits, like `ABC123`")
    if rule.code.startswith("GRD0"):
        raise broken(f"`{rule.code}` is one of gradlint's own codes", "use a code that does not begin with `GRD0`")
    if not NAME.fullmatch(rule.name):
        raise broken(f"`{rule.name}` is no name", "use small letters and digits joined by `-`, like `stale-graph`")
    if not (module.__doc__ or "").strip():
        raise broken("it has no docstring, so the rule has no page", "begin the file with a docstring on the mistake")
    alone = any(given.cures is None and given.shows is None for given in rule.evidence)
    if alone and getattr(module, "consequence", None) is None:
        raise broken("nothing says what torch shows", "define `consequence`, or give each bad example its `shows`")


def _check_unique(found: Iterable[tuple[str, ModuleType, Rule]]) -> None:
    owners: dict[str, tuple[str, ModuleType]] = {}
    for distribution, module, rule in found:
        for word in (rule.code, rule.name):
            if word in owners:
                other, there = owners[word]
                problem = f"`{word}` is taken by `{there.__name__}` of `{other}`"
                raise BrokenPack(distribution, module.__name__, problem, "rename one of them, or uninstall one pack")
            owners[word] = distribution, module
