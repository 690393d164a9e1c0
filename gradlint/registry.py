"""The registry of what is installed: every distribution may bring rules and knowledge of libraries.

An entry point of the group `gradlint.rules` or `gradlint.knowledge` names a package. All its modules are imported. Each
one with a `rule` contributes it; its docstring becomes the rule's page and its `consequence` what torch shows. One with
a `worth` says, by code, what was measured of the rules of its distribution. Each one with a `pack` contributes what
that says of a library. Nothing but this module imports packs.

Packs run code, so they are taken only from where distributions are installed: the folders of `sys.path` named
`site-packages` or `dist-packages`, and the folder gradlint itself was imported from. Metadata that merely lies
on the path, in the current folder or in a linted tree, is not looked at. Nor are modules taken from the current
folder while packs are imported, unless a pack was installed from there in editable mode: what is linted could pose
as a pack, or as a library that one imports.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import Distribution, EntryPoint, distributions, version
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

from gradlint import installation, versions
from gradlint.engine import Installation
from gradlint.frozen import frozen
from gradlint.knowledge.pack_checks import faults
from gradlint.knowledge.pack_index import Packs
from gradlint.knowledge.packs import Pack
from gradlint.rule import Rule

GROUPS = {"rule": "gradlint.rules", "knowledge": "gradlint.knowledge"}
"""The kinds of packs, and the groups of entry points that name them."""
CODE = re.compile(r"[A-Z]{3}[0-9]{3}")
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_SEPARATOR = re.compile(r"[-_.]+")
OWN_CODES = re.compile(r"GRD0[0-9]{2}")


class BrokenPack(Exception):
    """A pack cannot be used; the message names the distribution, the module and the cure."""

    def __init__(self, distribution: str, module: str, fault: str, cure: str, kind: str = "rule") -> None:
        super().__init__(f"{kind} pack of {distribution}: {module}: {fault}; {cure}")
        self.distribution, self.module, self.fault, self.cure = distribution, module, fault, cure


@frozen()
class _Found:
    """A rule and where it comes from."""

    rule: Rule
    distribution: str
    module: str


def rules() -> tuple[Rule, ...]:
    """All installed rules, sorted by code. Raises `BrokenPack` if one of them cannot be used."""
    return _rules(_modules_of(_bringing(), "rule"))


def packs() -> Packs:
    """All that is installed of knowledge about libraries. Raises `BrokenPack` if some of it cannot be used.

    Where two packs speak of one path, the one whose distribution and module come first by name counts.
    """
    return _knowledge(_modules_of(_bringing(), "knowledge"))


def installed() -> Installation:
    """All that is installed. Raises `BrokenPack` if some of it cannot be used."""
    bringing = _bringing()
    modules = {kind: _modules_of(bringing, kind) for kind in GROUPS}
    return Installation(
        _rules(modules["rule"]),
        _knowledge(modules["knowledge"]),
        [version("libcst")],
        (module for found in modules.values() for _, module in found),
    )


def _rules(modules: Sequence[tuple[str, ModuleType]]) -> tuple[Rule, ...]:
    found = [
        _Found(rule, distribution, module.__name__)
        for distribution, module in modules
        if isinstance(rule := getattr(module, "rule", None), Rule)
    ]
    measured = {
        (distribution, code): worth
        for distribution, module in modules
        if isinstance(said := getattr(module, "worth", None), dict)
        for code, worth in said.items()
    }
    for one in found:
        _complete(one.rule, one.distribution, sys.modules[one.module])
        one.rule.worth = measured.get((one.distribution, one.rule.code))
    _check_unique(found)
    return tuple(sorted((one.rule for one in found), key=lambda rule: rule.code))


def _knowledge(modules: Iterable[tuple[str, ModuleType]]) -> Packs:
    found = [
        (pack, distribution, module.__name__)
        for distribution, module in modules
        if isinstance(pack := getattr(module, "pack", None), Pack)
    ]
    together = Packs.of(pack for pack, _, _ in found)
    for pack, distribution, module in found:
        for row, fault, cure in faults(pack, together):
            raise BrokenPack(distribution, module, f"{row}: {fault}", cure, "knowledge")
    return together


# ---- where packs may come from


def _bringing() -> dict[str, Distribution]:
    """The distributions with entry points of ours, sorted by name; of two copies of one the first."""
    bringing: dict[str, Distribution] = {}
    for distribution in distributions(path=installation.folders()):
        told = distribution.read_text("entry_points.txt") or ""
        if any(group in told for group in GROUPS.values()):
            bringing.setdefault(_name(distribution), distribution)
    return dict(sorted(bringing.items()))


def _modules_of(bringing: Mapping[str, Distribution], kind: str) -> list[tuple[str, ModuleType]]:
    """The modules of all packs of a kind, each with the name of its distribution."""
    entries = {name: each.entry_points.select(group=GROUPS[kind]) for name, each in bringing.items()}
    with _current_folder_left_out(any(_is_editable_here(bringing[name]) for name, each in entries.items() if each)):
        return [
            (name, module)
            for name, each in entries.items()
            for entry in sorted(each, key=lambda e: (e.name, e.value))
            for module in _named(name, entry, kind)
        ]


def _is_editable_here(pack: Distribution) -> bool:
    """Return whether its installer noted that the distribution is used from the current folder."""
    try:
        origin = json.loads(pack.read_text("direct_url.json") or "{}")
        if not origin["dir_info"]["editable"]:
            return False
        return _is_current(_path_of(origin["url"]))
    except (ValueError, KeyError, TypeError):
        return False


def _path_of(url: str) -> str:
    """The path that the URL of a file names."""
    path = urlsplit(url).path
    if os.name != "nt":
        return unquote(path)
    from urllib.request import url2pathname  # with all that speaks to servers: a good part of a start

    return url2pathname(path)


def _is_current(folder: str) -> bool:
    """Return whether this is the current folder, however it is spelled."""
    try:
        return not folder or Path(folder).samefile(Path.cwd())
    except OSError:
        return False


@contextmanager
def _current_folder_left_out(trusted: bool) -> Iterator[None]:
    """Import without the current folder; one that is trusted is left out only where the empty path stands for it."""
    before = list(sys.path)
    sys.path[:] = [folder for folder in before if folder and (trusted or not _is_current(folder))]
    try:
        yield
    finally:
        sys.path[:] = before


def _name(distribution: Distribution) -> str:
    return _SEPARATOR.sub("-", distribution.metadata["Name"] or "a distribution without a name").lower()


# ---- from an entry point to modules


def _named(distribution: str, entry: EntryPoint, kind: str) -> Iterator[ModuleType]:
    """All modules of the package that an entry point names."""
    if entry.attr:
        cure = f'write `{entry.name} = "{entry.module}"` in the entry points'
        raise BrokenPack(distribution, entry.value, "an entry point names a package, not something in it", cure, kind)
    yield from _modules(distribution, entry.value, kind)


def _modules(distribution: str, name: str, kind: str) -> Iterator[ModuleType]:
    """A module and, if it is a package, all modules below it, in the order of their names."""
    module = _import(distribution, name, kind)
    yield module
    inner = pkgutil.iter_modules(getattr(module, "__path__", ()))
    for child in sorted(info.name for info in inner if not info.name.startswith("_")):
        yield from _modules(distribution, f"{name}.{child}", kind)


def _import(distribution: str, name: str, kind: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        fault = f"cannot be imported ({type(error).__name__}: {error})"
        cure = f"install a version of {distribution} that works here, or uninstall it"
        raise BrokenPack(distribution, name, fault, cure, kind) from error


# ---- rules


def _complete(rule: Rule, distribution: str, module: ModuleType) -> None:
    """Give a rule its page and its consequence, or say what its module lacks."""

    def broken(fault: str, cure: str) -> BrokenPack:
        return BrokenPack(distribution, module.__name__, fault, cure)

    if not CODE.fullmatch(rule.code):
        raise broken(f"`{rule.code}` is no rule code", "a code is three capital letters and three digits, like ABC123")
    if OWN_CODES.fullmatch(rule.code):
        raise broken(f"{rule.code} is gradlint's own", "codes from GRD000 to GRD099 are taken; choose another")
    if not NAME.fullmatch(rule.name):
        raise broken(f"`{rule.name}` is no rule name", "a name is lower-case words joined by hyphens")
    if (wrong := versions.fault(rule)) is not None:
        raise broken(f"the range of {rule.code} is wrong: {wrong[0]}", wrong[1])
    if not (module.__doc__ or "").strip() and sys.flags.optimize < 2:
        raise broken(f"{rule.code} has no page", "write what the mistake does as the docstring of the module")
    consequence = getattr(module, "consequence", None)
    if consequence is None and any(one.cures is None and one.shows is None for one in rule.evidence):
        raise broken(f"{rule.code} has no consequence", "set `consequence` in the module to what torch is seen to do")
    rule.page, rule.consequence = module.__doc__ or "", consequence


def _check_unique(found: list[_Found]) -> None:
    """No two rules share a code or a name."""
    first: dict[str, _Found] = {}
    for one in found:
        for word, kind in ((one.rule.code, "code"), (one.rule.name, "name")):
            other = first.setdefault(word, one)
            if other is not one:
                fault = f"{kind} {word} is taken by {other.module} of {other.distribution}"
                raise BrokenPack(one.distribution, one.module, fault, f"give one of the two rules another {kind}")
