"""The command line: what is asked for, what is printed where, and which code the process ends with."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from gradlint import __version__

CLEAN, FOUND, WRONG = 0, 1, 2


@click.group(invoke_without_command=False)
@click.version_option(__version__, message="gradlint %(version)s")
def cli() -> None:
    """Find gradient-handling mistakes in PyTorch code."""


@cli.command()
@click.argument("paths", nargs=-1)
@click.option("--select")
@click.option("--isolated", is_flag=True)
@click.option("--no-cache", is_flag=True)
@click.option("--min-confidence", type=click.Choice(["certain", "likely", "possible"]), default="likely")
@click.option("--output-format", type=click.Choice(["full", "concise", "json", "json-lines", "github"]))
def check(paths, select, isolated, no_cache, min_confidence, output_format):  # type: ignore[no-untyped-def]
    from gradlint import registry, run
    from gradlint.finding import Confidence
    from gradlint.report import FORMATS

    rules = registry.rules()
    if select and select != "ALL":
        rules = tuple(r for r in rules if r.code in select.split(","))
    files = []
    for path in map(Path, paths or ["."]):
        files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    results = run.ordered(run.lint_file(f, rules, Confidence[min_confidence.upper()]) for f in files)
    for r in results:
        if r.fault:
            click.echo(f"error: {r.path}: internal error: {r.fault}", err=True)
    entries = [e for r in results for e in r.entries()]
    click.echo(FORMATS[output_format or ("full" if sys.stdout.isatty() else "concise")](entries, False), nl=False)
    return WRONG if any(r.fault for r in results) else FOUND if entries else CLEAN


@cli.command("rules")
@click.option("--output-format", type=click.Choice(["json"]))
def rules_(output_format):  # type: ignore[no-untyped-def]
    import json
    from gradlint import registry

    click.echo(json.dumps([{"code": r.code, "name": r.name} for r in registry.rules()]))


def run(args: list[str]) -> int:
    if not args or args[0] not in cli.commands and args[0] not in ("--version", "--help"):
        args = ["check", *args]
    code = cli.main(args, standalone_mode=False)
    return code if isinstance(code, int) else 0
