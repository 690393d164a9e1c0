"""All packs together, looked up by import path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from gradlint.frozen import frozen
from gradlint.knowledge.index import Tables, at
from gradlint.knowledge.packs import Attribute, Call, Hook, LibraryClass, Pack
from gradlint.versions import NEWEST, Version, holds, of

Member = Call | Attribute


@frozen()
class Known:
    """A class with all that its bases give it."""

    row: LibraryClass
    members: Mapping[str, Member]
    hooks: Mapping[str, Hook]


@dataclass(slots=True, eq=False)
class Packs:
    """All packs together, looked up by import path, as they are for one version of torch, with its tables."""

    packs: tuple[Pack, ...] = ()
    roots: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()
    on_torch: frozenset[str] = frozenset()
    torch: Tables = field(default_factory=at)
    functions: dict[str, Call] = field(default_factory=dict)
    _classes: dict[str, Known | None] = field(default_factory=dict)
    _patterns: list[tuple[str, Known]] = field(default_factory=list)

    @classmethod
    def of(cls, packs: Iterable[Pack], version: Version = NEWEST) -> Packs:
        """Put packs together, with those of their rows that hold in a version of torch; where two speak of one path the
        first counts."""
        packs = tuple(packs)
        out = cls(
            packs,
            frozenset(root for pack in packs for root in pack.roots),
            frozenset(root for pack in packs if pack.foreign for root in pack.roots),
            frozenset(root for pack in packs if pack.on_torch and not pack.foreign for root in pack.roots),
            at(version),
        )
        rows = {row.path: row for pack in reversed(packs) for row in of(pack.classes, version)}
        for pack in packs:
            for row in of(pack.classes, version):
                out._add(row, rows)
            for function in of(pack.functions, version):
                for path in (function.path, *function.also):
                    out.functions.setdefault(path, function)
        return out

    def at(self, version: Version) -> Packs:
        """The same as it is for another version of torch."""
        return self if version == self.torch.version else Packs.of(self.packs, version)

    def _add(self, row: LibraryClass, rows: Mapping[str, LibraryClass]) -> None:
        members = {name: one for name, one in _members(row, rows) if holds(one, self.torch.version)}
        hooks = {name: one for name, one in _hooks(row, rows) if holds(one, self.torch.version)}
        known = Known(row, members, hooks)
        for path in row.paths:
            if "*" in path:
                self._patterns.append((path, known))
            else:
                self._classes.setdefault(path, known)

    def speaks_of(self, path: str) -> bool:
        """Return whether a path lies in a library that some pack is about."""
        return any(root in self.roots for root in beginnings(path))

    def cls(self, path: str) -> Known | None:
        """The class at an import path."""
        if path in self._classes:
            return self._classes[path]
        if not self.speaks_of(path):
            return None
        found = next((known for pattern, known in self._patterns if fnmatchcase(path, pattern)), None)
        self._classes[path] = found
        return found

    def function(self, path: str) -> tuple[Call, LibraryClass | None] | None:
        """The function at an import path, and for a method the class it was looked up on."""
        if path in self.functions:
            return self.functions[path], None
        owner, _, name = path.rpartition(".")
        known = self.cls(owner)
        member = known.members.get(name) if known is not None else None
        return (member, known.row) if known and type(member) is Call else None

    def without_torch(self, imported: Iterable[str]) -> bool:
        """Return whether a program that imports these modules has a look-alike and nothing to do with torch."""
        found = set(imported)
        return bool(found & self.foreign) and not self.with_torch(found)

    def with_torch(self, imported: Iterable[str]) -> bool:
        """Return whether one of these modules is torch or a library that works with it, as far as its name shows."""
        return any("torch" in root or root in self.on_torch for root in imported)

    def is_foreign(self, path: str) -> bool:
        """Return whether a path names something that is none of torch's."""
        return path.partition(".")[0] in self.foreign


def beginnings(path: str) -> Iterator[str]:
    """A dotted path and all that it begins with, the shortest first."""
    parts = path.split(".")
    yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _line(row: LibraryClass, rows: Mapping[str, LibraryClass]) -> Iterator[LibraryClass]:
    """The bases of a class, farthest first, and the class."""
    for base in row.bases:
        if base in rows:
            yield from _line(rows[base], rows)
    yield row


def _members(row: LibraryClass, rows: Mapping[str, LibraryClass]) -> Iterator[tuple[str, Member]]:
    for cls in _line(row, rows):
        yield from ((member.path, member) for member in cls.members)


def _hooks(row: LibraryClass, rows: Mapping[str, LibraryClass]) -> Iterator[tuple[str, Hook]]:
    for cls in _line(row, rows):
        yield from ((hook.name, hook) for hook in cls.hooks)


NO_PACKS = Packs()
