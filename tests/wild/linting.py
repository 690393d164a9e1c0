"""What gradlint says of a package, as its command line would; kept until the package or gradlint changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from gradlint import planning, registry, settings
from gradlint.engine import Engine
from gradlint.files import Excluded, find
from gradlint.finding import Finding
from gradlint.queries import Queries
from gradlint.selection import NOT_LINTED

from .fetching import tree
from .packages import Package


@dataclass(frozen=True, slots=True, order=True)
class Found:
    """A finding of a default rule, at a line of a file of a package; `noted` are the lines it points at, in
    files, each with the text of the note."""

    package: str
    path: str
    line: int
    code: str
    message: str = ""
    noted: tuple[tuple[str, int, str], ...] = field(default=(), compare=False)

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What a verdict is found by."""
        return self.package, self.path, self.line, self.code


@dataclass(frozen=True, slots=True)
class Linted:
    """What came of the files of packages: the findings in order, and a line for each fault of ours."""

    found: tuple[Found, ...]
    faults: tuple[str, ...] = ()
    files: int = 0


def lint(package: Package, folder: Path, cached: Path, workers: int = 1, only: frozenset[str] | None = None) -> Linted:
    """Lint a package that lies in a folder, or `only` these files of it. Keeps each file's result as soon as it is
    there."""
    kept = cached / "linted" / gradlint_now() / f"{package.folder}-{_digest(tree(folder))}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    names = [name for name in _names(package, folder) if only is None or name in only]
    known = {line["path"]: line for line in _lines(kept)}
    missing = [name for name in names if name not in known]
    with kept.open("a") as file:
        for line in _linted(folder, missing, workers):
            file.write(json.dumps(line) + "\n")
            file.flush()
            known[line["path"]] = line
    lines = [known[name] for name in names]
    found = {Found(package.name, line["path"], *finding) for line in lines for finding in line["findings"]}
    faults = tuple(f"{package.name}: {line['path']}: {line['fault']}" for line in lines if line["fault"])
    return Linted(tuple(sorted(found)), faults, len(lines))


def _names(package: Package, folder: Path) -> list[str]:
    """The files of a package that are linted, by their names in its folder."""
    found = find([str(folder / path) for path in package.paths or (".",)], lambda at: Excluded(at, ("*.ipynb",), False))
    if found.missing:
        raise FileNotFoundError(f"{package.name} has no {', '.join(found.missing)}")
    return [Path(file).relative_to(folder.resolve()).as_posix() for file in found.files]


def _lines(kept: Path) -> Iterator[dict]:
    """What an earlier run kept; a line that it was stopped in is left out."""
    if kept.exists():
        for line in kept.read_text().splitlines():
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _linted(folder: Path, names: list[str], workers: int) -> Iterator[dict]:
    if workers == 1 or len(names) < 2:
        yield from (_line(folder, name) for name in names)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(_line, [folder] * len(names), names, chunksize=4)


def _line(folder: Path, name: str) -> dict:
    """Lint a file. Files of one folder share what was read of their neighbours."""
    holds, engine, file = *_linting(folder), str(folder.resolve() / name)
    data = planning.read(file)
    if isinstance(data, Finding):
        return {"path": name, "fault": data.message, "findings": []}
    result = engine.lint(data, name, file, holds.terms(file), named=True)
    codes = holds.codes(file) - {NOT_LINTED.code}  # that a file is no Python is said by no rule
    given_up = [one.message for one in result.findings if one.code == NOT_LINTED.code]
    findings = [[one.place.row, one.code, one.message] for one in result.findings if one.code in codes]
    return {"path": name, "fault": "".join(given_up), "findings": findings}


@lru_cache(maxsize=1)  # what was read of one package is of no use to the next
def _linting(folder: Path) -> tuple[settings.Settings, Engine]:
    installed = registry.installed()
    rules = installed.catalogue.rules
    return settings.Settings(settings.Request(isolated=True), rules), installed.engine(Queries())


@cache
def gradlint_now() -> str:
    """A name for gradlint and its rules as they are."""
    specs = (find_spec(name) for name in ("gradlint", "gradlint_rules"))
    folders = [folder for spec in specs if spec for folder in spec.submodule_search_locations or ()]
    return _digest(file for folder in folders for file in tree(Path(folder)))


def _digest(files: Iterable[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256()
    for name, data in files:
        if name.endswith(".py"):
            digest.update(f"{name}\0{len(data)}\0".encode(errors="surrogateescape") + data)
    return digest.hexdigest()[:16]
