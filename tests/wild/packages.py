"""Which packages are linted: `packages.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).parent / "packages.toml"
KINDS = frozenset({"library", "research"})
ARCHIVES = frozenset({"wheel", "source"})
NAME = re.compile(r"[a-z0-9]+([._-][a-z0-9]+)*", re.IGNORECASE)
VERSION = re.compile(r"[0-9]+(\.[0-9]+)*((a|b|rc|\.post|\.dev)[0-9]+)*")


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the index in one version.

    `kind` says who writes such code; `archive` which of its archives is read (a source archive often holds scripts and
    examples that the wheel does not). Where `paths` are given only these folders are linted, and `reason` says why.
    """

    name: str
    version: str
    kind: str
    archive: str = "wheel"
    paths: tuple[str, ...] = ()
    reason: str = ""

    @property
    def pinned(self) -> str:
        """The package as pip is asked for it."""
        return f"{self.name}=={self.version}"

    @property
    def folder(self) -> str:
        """What its folder in the cache is called."""
        return f"{self.name}-{self.version}-{self.archive}"


class BadList(Exception):
    """The list of packages says something it cannot mean."""


def packages(text: str | None = None) -> tuple[Package, ...]:
    """The packages of a list, by default ours, in its order. Raises `BadList`."""
    entries = tomllib.loads(LIST.read_text() if text is None else text).get("package", [])
    found = tuple(_package(entry) for entry in entries)
    names = [package.name for package in found]
    for name in names:
        if names.count(name) > 1:
            raise BadList(f"{name} stands there twice")
    return found


def _package(entry: dict[str, object]) -> Package:
    try:
        package = Package(**{**entry, "paths": tuple(entry.get("paths", ()))})  # type: ignore[arg-type]
    except TypeError as error:
        raise BadList(f"{entry}: {error}") from error
    faults = {
        "its name is none": not NAME.fullmatch(package.name),
        "it is pinned to no version": not VERSION.fullmatch(package.version),
        f"its kind is none of {', '.join(sorted(KINDS))}": package.kind not in KINDS,
        f"its archive is none of {', '.join(sorted(ARCHIVES))}": package.archive not in ARCHIVES,
        "`paths` are given without a reason": bool(package.paths) is not bool(package.reason),
    }
    for fault, holds in faults.items():
        if holds:
            raise BadList(f"{package.name or entry}: {fault}")
    return package
