"""What is run: the bare parse, gradlint and its peers, as a user would type them.

Configuration of a user or a corpus is kept out, and so are caches, except where a warm run is measured.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .environments import Environment, Environments

PARSE = Path(__file__).with_name("parse.py")
BARE = "bare LibCST parse"
STARTING, GROWING, PARSING = "Start-up", "Growth", "Growth, bare parse"
"""The tables that are about no corpus."""
SMALL = "a small training script"
FINDINGS = frozenset({0, 1})
"""Exit codes of a linter that has done its work."""


@dataclass(frozen=True)
class Command:
    """What is run for a row of a table; any exit code that is not `good` is a failure.

    After `limit` seconds (0: never) it is killed. A `warm` one is run once before it is measured.
    """

    table: str
    label: str
    arguments: tuple[str, ...]
    good: frozenset[int] = FINDINGS
    limit: float = 0
    warm: bool = False


@dataclass(frozen=True)
class Peer:
    """Another linter: its command, of which `{path}` stands for what is linted."""

    name: str
    label: str
    arguments: str
    good: frozenset[int] = FINDINGS


PEERS = (
    Peer("torchfix", "torchfix", "torchfix {path}"),
    Peer("flake8", "flake8 with torchfix", "flake8 --isolated {path}"),
    Peer("basedpyright", "basedpyright", "basedpyright {path}"),
    Peer(
        "mypy",
        "mypy",
        f"mypy --config-file= --cache-dir={os.devnull} --ignore-missing-imports --follow-imports=silent {{path}}",
    ),
    # The exit code is a sum of powers of two; 32 is a bad command line, 1 a fatal message about one file.
    Peer(
        "pylint",
        "pylint",
        f"pylint --rcfile={os.devnull} --persistent=no --recursive=yes {{path}}",
        frozenset(range(32)),
    ),
    Peer("ruff", "ruff", "ruff check --isolated --no-cache --no-respect-gitignore {path}"),
)


def surroundings(environments: Environments, home: Path) -> dict[str, str]:
    """Return the variables that commands see: a home of their own, and the peers' Python first on the path."""
    path = os.pathsep.join([str(environments.peers.programs), os.defpath])
    return {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8"}


def parse(environment: Environment, table: str, label: str, path: Path) -> Command:
    """Return the bare parse of a path, by the LibCST that gradlint uses."""
    return Command(table, label, (environment.program("python"), str(PARSE), str(path)), frozenset({0}))


def gradlint(environment: Environment, table: str, label: str, path: Path, *options: str) -> Command:
    """Return a run of gradlint over a path, without a cache unless the options name one."""
    cache = () if "--cache-dir" in options else ("--no-cache",)
    arguments = (environment.program("gradlint"), "check", "--isolated", "--no-respect-gitignore", *cache, *options)
    return Command(table, label, (*arguments, str(path)), warm="--cache-dir" in options)


def peer(of: Peer, environment: Environment, table: str, path: Path, limit: float) -> Command:
    """Return a run of a peer over a path, killed after `limit` seconds."""
    name, *words = of.arguments.split()
    return Command(
        table, of.label, (environment.program(name), *(word.format(path=path) for word in words)), of.good, limit
    )


def over_corpus(
    environments: Environments, table: str, folder: Path, peers: Iterable[Peer], cache: Path | None, limit: float
) -> list[Command]:
    """Return the rows of a corpus; the warm run is left out where there is no folder for a cache.

    Peers are killed after `limit` seconds.
    """
    ours = environments.gradlint
    warm = () if cache is None else (("gradlint, warm, 1 job", ("--cache-dir", str(cache), "--jobs", "1")),)
    runs = (("gradlint, cold, 1 job", ("--jobs", "1")), ("gradlint, cold, 2 jobs", ("--jobs", "2")), *warm)
    return [
        parse(ours, table, BARE, folder),
        *(gradlint(ours, table, label, folder, *options) for label, options in runs),
        *(peer(one, environments.peers, table, folder, limit) for one in peers),
    ]


def over_scripts(environment: Environment, plain: Path, small: Path, grown: Mapping[int, Path]) -> list[Command]:
    """Return the rows of the scripts: two small ones, and those that grow, by their lines."""
    long = min(grown, key=lambda lines: abs(lines - 1000))
    return [
        parse(environment, STARTING, BARE, small),
        Command(STARTING, "`gradlint --version`", (environment.program("gradlint"), "--version"), frozenset({0})),
        gradlint(environment, STARTING, "a file without torch", plain),
        gradlint(environment, STARTING, SMALL, small),
        gradlint(environment, STARTING, f"a script of {long:,} lines", grown[long]),
        *(parse(environment, PARSING, f"{lines:,}", path) for lines, path in grown.items()),
        *(gradlint(environment, GROWING, f"{lines:,}", path) for lines, path in grown.items()),
    ]
