"""Build the environments, download the corpora, run everything in turn, print the tables."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from .commands import PEERS, Command, over_corpus, over_scripts, surroundings
from .corpora import PINNED, Corpus, corpus
from .environments import Environments, NotBuilt, built
from .machine import machine
from .measuring import Bench, Run, in_turn, rows
from .scripts import PLAIN, SMALL, training_script
from .table import as_json, markdown, summary

ALL, NONE = "all", "none"
LENGTHS = (100, 1_000, 10_000, 20_000)
"""About how many lines the scripts have that grow."""


@click.command()
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    type=click.Choice([*PINNED, ALL, NONE]),
    default=("timm", "vit-pytorch"),
    help="What is linted; repeatable. [timm and vit-pytorch]",
)
@click.option(
    "--peers",
    multiple=True,
    type=click.Choice([*(peer.name for peer in PEERS), ALL, NONE]),
    default=(ALL,),
    help="The linters beside gradlint; repeatable. [all]",
)
@click.option("--scripts/--no-scripts", default=True, help="Measure start-up and growth as well. [yes]")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True, help="How often each command is run.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=900,
    show_default=True,
    metavar="SECONDS",
    help="When a peer is killed.",
)
@click.option(
    "--work",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where environments and corpora are kept for the next time. [a temporary folder]",
)
@click.option(
    "--json",
    "written",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write every run to a file.",
)
def main(rounds: int, work: Path | None, written: Path | None, **what: Any) -> None:
    """Measure what gradlint costs beside a bare parse and beside other linters.

    Downloads the pinned packages. On an interrupt, what was measured until then is printed.
    """
    with _scratch(work) as folder:
        try:
            environments = built(folder)
            commands = _commands(folder, environments, **what)
        except NotBuilt as error:
            raise click.ClickException(str(error)) from error
        on = machine(environments.versions(environments.gradlint), environments.versions(environments.peers))
        measured = rows(commands, _measured(commands, rounds, _bench(folder, environments)))
    click.echo(markdown(on, measured) + summary(measured), nl=False)
    if written:
        written.write_text(json.dumps(as_json(on, measured), indent=1) + "\n", encoding="utf-8")


def _commands(
    folder: Path,
    environments: Environments,
    corpora: tuple[str, ...],
    peers: tuple[str, ...],
    scripts: bool,
    timeout: float,
) -> list[Command]:
    """Return all that is run: over these corpora, beside these peers, and over scripts."""
    chosen = [corpus(name, folder, environments) for name in picked(corpora, tuple(PINNED))]
    commands = _over(chosen, peers, timeout, folder, environments)
    return [*commands, *over_scripts(environments.gradlint, *_scripts(folder))] if scripts else commands


@contextmanager
def _scratch(work: Path | None) -> Iterator[Path]:
    """Yield an absolute folder: the one that is asked for, which stays, or one that is removed in the end."""
    if work:
        work.mkdir(parents=True, exist_ok=True)
        yield work.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="gradlint-bench-") as name:
        yield Path(name).resolve()


def picked(names: Sequence[str], every: Sequence[str]) -> tuple[str, ...]:
    """Return what is asked for by names, `all` and `none`, in the order of all that there is."""
    return tuple(name for name in every if ALL in names or name in names)


def _over(
    corpora: Sequence[Corpus], peers: Sequence[str], limit: float, folder: Path, environments: Environments
) -> list[Command]:
    """Return what is run over corpora; peers are killed after `limit` seconds."""
    if not corpora:
        return []
    named = picked(peers, tuple(peer.name for peer in PEERS))
    wanted = [peer for peer in PEERS if peer.name in named]
    caches = _caches(folder, environments)
    return [
        command
        for one in corpora
        for command in over_corpus(
            environments, one.title, one.folder, wanted, caches / one.name if caches else None, limit
        )
    ]


def _caches(folder: Path, environments: Environments) -> Path | None:
    """Return an empty folder for caches; None, which is told, where this gradlint keeps none."""
    caches = folder / "caches"
    shutil.rmtree(caches, ignore_errors=True)
    usage = subprocess.run(
        [environments.gradlint.program("gradlint"), "check", "--help"], capture_output=True, text=True, check=True
    )
    if "--cache-dir" not in usage.stdout:
        click.echo("this gradlint has no --cache-dir: no warm run is measured", err=True)
        return None
    caches.mkdir()
    return caches


def _scripts(folder: Path) -> tuple[Path, Path, dict[int, Path]]:
    """Write the scripts; return where the one without torch, the small one and those that grow are, by their lines."""
    scripts = folder / "scripts"
    shutil.rmtree(scripts, ignore_errors=True)
    grown = {text.count("\n"): text for text in map(training_script, LENGTHS)}
    texts = {"plain": PLAIN, "small": SMALL, **{f"lines{lines}": text for lines, text in grown.items()}}
    for name, text in texts.items():
        alone = scripts / name  # a folder of its own, for files side by side are read together
        alone.mkdir(parents=True)
        (alone / "pyproject.toml").touch()
        (alone / "script.py").write_text(text, encoding="utf-8")
    paths = {name: scripts / name / "script.py" for name in texts}
    return paths["plain"], paths["small"], {lines: paths[f"lines{lines}"] for lines in grown}


def _bench(folder: Path, environments: Environments) -> Bench:
    """Return where commands are run: nothing lies there but what ends a search for a configuration."""
    here, home, files = (folder / name for name in ("here", "home", "files"))
    for fresh in (here, home, files):
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
    (here / "pyrightconfig.json").write_text("{}\n", encoding="utf-8")
    return Bench(here, surroundings(environments, home), files / "out", files / "error", files / "result")


def _measured(commands: Sequence[Command], rounds: int, bench: Bench) -> list[tuple[Command, Run]]:
    """Run everything and tell of each run; on an interrupt, return what was measured until then."""
    runs = list[tuple[Command, Run]]()
    try:
        for number, command, run in in_turn(commands, rounds, bench.run):
            runs.append((command, run))
            click.echo(f"round {number} of {rounds}: {command.table}: {command.label}: {run.wall:.2f} s", err=True)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
    return runs


if __name__ == "__main__":
    main()
