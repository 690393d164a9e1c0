"""The interpreter's coverage: of all that files ask for names of autograd's vocabulary, what it knows the kind of, and
where rules asked for a fact that nobody knew.

What a file imports from its own package and the interpreter did not follow is not known, though it has a name.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from gradlint import kinds, linter, source, texts, versions
from gradlint.catalogue import Listed
from gradlint.collecting import few_collections
from gradlint.config import BadConfig
from gradlint.engine import Engine
from gradlint.files import SUFFIXES, displayed, find
from gradlint.finding import Finding, Place
from gradlint.frozen import frozen
from gradlint.interpreter import BOUND, LIBRARY
from gradlint.knowledge.pack_index import NO_PACKS, Packs
from gradlint.linter import Asked
from gradlint.planning import read
from gradlint.project import ProjectView
from gradlint.reading import MOST_CONFIGURED
from gradlint.report.entry import safe_name
from gradlint.results import one_line
from gradlint.rule import Rule
from gradlint.run import Refused
from gradlint.selection import UnknownRule
from gradlint.settings import Request, Settings
from gradlint.undecided import undecided
from gradlint.versions import UnknownVersion

KeyT = TypeVar("KeyT", str, tuple[str, str])

PACKAGE = "__init__.py"


@frozen()
class Covered:
    """The coverage of one file: all that it asks, the bounds that were hit and how often, where rules were `undecided`,
    by code, and why it, or a part of it, was not looked at (`problem`, one line). Rows are those of the linted text."""

    path: str
    asked: tuple[Asked, ...] = ()
    bounds: tuple[tuple[str, int], ...] = ()
    problem: str = ""
    undecided: tuple[tuple[str, Place], ...] = ()

    @property
    def known(self) -> int:
        return sum(bool(one.kind) for one in self.asked)

    @property
    def unreached(self) -> int:
        return sum(one.kind is None for one in self.asked)


@frozen()
class Coverage:
    """The coverage of all files, in the order of their paths; `problems` make the run a failure."""

    files: tuple[Covered, ...]
    problems: tuple[str, ...] = ()

    @property
    def known(self) -> int:
        return sum(file.known for file in self.files)

    @property
    def unreached(self) -> int:
        return sum(file.unreached for file in self.files)

    @property
    def total(self) -> int:
        return sum(len(file.asked) for file in self.files)

    def shapes(self) -> list[tuple[tuple[str, str], int]]:
        """The shapes of what is not known and where they come from, most frequent first."""
        counted = Counter((a.shape, a.origin) for file in self.files for a in file.asked if a.kind == "")
        return _most_first(counted)

    def bounds(self) -> list[tuple[str, int]]:
        """The bounds that were hit, most often first."""
        counted: Counter[str] = Counter()
        for file in self.files:
            counted.update(dict(file.bounds))
        return _most_first(counted)

    def undecided(self) -> list[tuple[str, list[tuple[str, Place]]]]:
        """The rules that were undecided, by code, most often first, and the places with the paths of their files."""
        places: dict[str, list[tuple[str, Place]]] = {}
        for file in self.files:
            for code, place in file.undecided:
                places.setdefault(code, []).append((file.path, place))
        return sorted(places.items(), key=lambda pair: (-len(pair[1]), pair[0]))


def _most_first(counted: Counter[KeyT]) -> list[tuple[KeyT, int]]:
    return sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))


@few_collections()
def measure(request: Request, packs: Packs = NO_PACKS, rules: Sequence[Rule] = ()) -> Coverage:
    """Look at all files that are asked for. Raises `Refused` for a bad configuration."""
    try:
        settings, engine = Settings(request, tuple(map(Listed.of, rules))), Engine(rules, packs)
        found = find(request.paths or (".",), settings.excluded, request.force_exclude)
    except (BadConfig, UnknownRule, UnknownVersion) as error:
        raise Refused(str(error)) from error
    problems = [f"{safe_name(path)}: no such file or folder" for path in found.missing]
    problems += [f"{safe_name(displayed(folder))}: the folder cannot be listed: {why}" for folder, why in found.closed]
    covered = (_of_file(file, engine, settings) for file in found.files)
    files = sorted(covered, key=lambda file: file.path)
    problems += [f"{safe_name(file.path)}: {file.problem}" for file in files if file.problem]
    return Coverage(tuple(files), tuple(problems))


def _of_file(file: str, engine: Engine, settings: Settings) -> Covered:
    path, data = displayed(file), read(file)
    if isinstance(data, Finding):
        return Covered(path, problem=data.message)
    packs, codes = engine.packs(settings.known(file)), settings.codes(file)
    rules = [rule for rule in versions.of(engine.rules, packs.torch.version) if rule.code in codes]
    return of_bytes(data, path, own_names(file), Looking(packs, engine.project.at(file), rules))


@frozen()
class Looking:
    """The rules, packs and project with which a file is looked at."""

    packs: Packs = NO_PACKS
    project: ProjectView | None = None
    rules: Sequence[Rule] = ()


BY_ITSELF = Looking()


def of_bytes(data: bytes, path: str, own: Iterable[str] = (), looking: Looking = BY_ITSELF) -> Covered:
    """Return a file's coverage; `own` are the names under which its project is imported. Nothing is raised."""
    try:
        whole = kinds.read(data, path, MOST_CONFIGURED)
        text, broken, _ = whole.sound(source.refused)
        weigh = partial(undecided, rules=looking.rules)
        found = linter.surveyed(text, weigh, packs=looking.packs, project=looking.project)
    except texts.Unreadable as error:
        return Covered(path, problem=str(error))
    except Exception as error:  # the other files are still looked at
        return Covered(path, problem=f"internal error: {one_line(error)}; please report it")
    bounds = tuple((name.removeprefix(BOUND), number) for name, number in found.counts if name.startswith(BOUND))
    not_followed = {LIBRARY + name for name in own}
    followed = tuple(_followed(one, not_followed) for one in found.asked)
    problem = "".join(_where(error, whole) for error in broken[:1])
    return Covered(path, followed, bounds, problem, found.undecided)


def _where(error: texts.Unreadable, whole: texts.Text) -> str:
    """Return the error in a cell of a notebook, with its place."""
    cell, place = whole.source_map.located(Place(error.row, error.column, error.row, error.column))
    return f"cell {cell}:{place.row}:{place.column}: {error.message}"


def _followed(one: Asked, not_followed: set[str]) -> Asked:
    unknown = one.kind and not not_followed.isdisjoint(one.kind.split(" or "))
    return replace(one, kind="") if unknown else one


def own_names(file: str) -> set[str]:
    """The names by which a file can import others of its project: its package, or what lies beside it."""
    folder = os.path.dirname(file)
    if not os.path.exists(os.path.join(folder, PACKAGE)):
        return {os.path.splitext(name)[0] for name in os.listdir(folder) if name.endswith(SUFFIXES)}
    while os.path.exists(os.path.join(os.path.dirname(folder), PACKAGE)):
        folder = os.path.dirname(folder)
    return {os.path.basename(folder)}
