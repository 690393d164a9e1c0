"""Commands that look at programs without judging them: what gradlint sees, and what an error tells."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from gradlint import terminal
from gradlint.commands import CLEAN, FOUND, STDIN, WRONG, listed, loading


@click.command(short_help="Show how much of the code gradlint understands.")
@click.argument("paths", nargs=-1, type=click.Path(readable=False, path_type=str))
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[text]")
@click.option("--target-torch", metavar="X.Y", help="The version of torch that the code is for. [the newest known]")
@click.option("--shapes", type=click.IntRange(min=0), default=40, metavar="N", help="Print so many shapes. [40]")
@click.option("--config", metavar="FILE", help="Use this configuration for all files.")
@click.option("--isolated", is_flag=True, help="Use no configuration file.")
@click.option("--force-exclude", is_flag=True, help="Exclude paths even when they are named here.")
@click.option("--exclude", multiple=True, metavar="PATTERNS", help="Replace the default excludes by these.")
@click.option("--extend-exclude", multiple=True, metavar="PATTERNS", help="Exclude these paths as well.")
@click.option("--respect-gitignore/--no-respect-gitignore", default=None, help="Exclude what git ignores. [yes]")
def coverage(paths: tuple[str, ...], output_format: str, shapes: int, **options: Any) -> int:
    """Show the share of receivers whose kind gradlint knows.

    A receiver is what is asked for a name of autograd's vocabulary: `model` in `model.eval()`, `loss` in
    `loss.item()`. It is known if it is seen to be a tensor, a module, an optimizer, a container, a function, a class
    or an instance of one that is seen, a constant, or something in a library. Prints the share per file, the shapes of
    what is not known, the rules that were undecided, and the bounds of the analysis that were hit; the last line is the
    share of all files. A rule was undecided at a line where it found nothing and would have if all facts that are
    unsure had spoken for it: what the analysis does not see costs findings there at most.
    """
    from gradlint import coverage as covering
    from gradlint.report import coverage as report
    from gradlint.run import Refused
    from gradlint.settings import Request

    for name in ("exclude", "extend_exclude"):
        options[name] = listed(options[name])
    try:
        found = covering.measure(Request(paths=paths or (".",), **options), loading.packs(), loading.rules())
    except Refused as error:
        raise click.ClickException(str(error)) from error
    terminal.write(report.FORMATS[output_format](found, shapes))
    for problem in found.problems:
        terminal.complain(problem)
    return WRONG if found.problems else CLEAN


# ---- trace


@click.command(short_help="Show line by line what gradlint knows.")
@click.argument("file", metavar="FILE[:LINE]", type=click.Path(path_type=str))
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[text]")
@click.option("--target-torch", metavar="X.Y", help="The version of torch that the code is for. [the newest known]")
@click.option("--config", metavar="FILE", help="Use this configuration.")
@click.option("--isolated", is_flag=True, help="Use no configuration file.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[auto]")
def trace(file: str, output_format: str, color: str, **options: Any) -> int:
    """Print each line of a file with what gradlint knows there, what happens, and all that is or might be reported.

    Below a line stand the names it reads (`name : what is known`) and binds (`name = what is known`), with what the
    line changes behind an arrow; the events that rules hear (`*`); and the findings (`>`), those that are not reported
    as well, with the reason. Where a line is run several times, what does not always hold says where it does. Lines of
    other files of the project that are run follow. With a line, only that and what is run from there.
    """
    from gradlint import trace as tracing
    from gradlint.report import trace as report
    from gradlint.run import Refused
    from gradlint.settings import Request

    try:
        traced = tracing.trace(file, Request(**options), loading.rules(), loading.packs())
    except Refused as error:
        raise click.ClickException(str(error)) from error
    terminal.write(report.FORMATS[output_format](traced, terminal.wants_colour(color, sys.stdout, os.environ)))
    return FOUND if traced.unreadable is not None else CLEAN


# ---- explain


@click.command("explain", short_help="Explain an error by the mistakes that lead to it.")
@click.argument("file", metavar="[FILE]", default=STDIN, type=click.Path(path_type=str))
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[text]")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[auto]")
def explain_error(file: str, output_format: str, color: str) -> int:
    """Read an error or a log with a traceback from FILE or stdin, and tell which mistakes lead to it.

    `python train.py 2>&1 | gradlint explain` names the rules that tell of the last such error, the likeliest first, and
    what they find at the lines of the traceback that are in files below the current folder. Nothing is run. Ends with 0
    if an error was explained, 1 if none was.
    """
    from gradlint import explain as explaining
    from gradlint.report import COLUMNS
    from gradlint.report import explain as report
    from gradlint.run import Refused

    text = _log(file).decode("utf-8", "replace")
    try:
        explained = explaining.explain(text, loading.rules(), loading.installed)
    except Refused as error:
        raise click.ClickException(str(error)) from error
    if output_format == "json":
        terminal.write(report.report_json(explained))
    elif explained is not None:
        painted = terminal.wants_colour(color, sys.stdout, os.environ)
        terminal.write(report.report(explained, painted, terminal.columns(sys.stdout, COLUMNS)))
    if explained is None:
        terminal.say("no error that a rule tells of was found; `gradlint .` looks for mistakes in the current folder")
        return FOUND
    return CLEAN


def _log(file: str) -> bytes:
    """The end of a log, so much of it as is looked at."""
    from gradlint.reading import MOST_LOG, last_of, read_end

    if file != STDIN:
        return read_end(file, MOST_LOG)
    if sys.stdin is None:
        raise click.ClickException("nothing can be read: stdin is closed; name a file")
    if terminal.is_terminal(sys.stdin):
        terminal.say("paste the error and end it with Ctrl-D (on Windows Ctrl-Z and Enter)")
    return last_of(sys.stdin.buffer.read, MOST_LOG)
