"""Commands about rules: list and explain them, confirm their evidence, begin a new one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from gradlint import terminal
from gradlint.commands import CLEAN, FOUND, counted, loading
from gradlint.report.entry import safe_name

if TYPE_CHECKING:
    from gradlint.proving import Proof
    from gradlint.rule import Rule

_color = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[auto]")


@click.command("rules", short_help="List the rules.")
@click.option("--output-format", type=click.Choice(["text", "json", "markdown"]), default="text", help="[text]")
@_color
def list_rules(output_format: str, color: str) -> int:
    """List the rules of gradlint and of installed rule packs: on a terminal by family, else one in a line."""
    import json

    from gradlint import pages

    rules = loading.rules()
    if output_format == "json":
        terminal.write(json.dumps([pages.as_object(rule) for rule in rules], indent=2) + "\n")
    elif output_format == "markdown":
        terminal.write(pages.markdown(rules))
    else:
        _show_table(rules, color)
    _warn_of_stripped_pages()
    return CLEAN


@click.command("rule", short_help="Explain a rule.")
@click.argument("word", metavar="CODE|NAME")
@_color
def explain(word: str, color: str) -> int:
    """Print the page of a rule: wrong and right, what torch does, why, and when to ignore it. For the beginning of a
    code (`GRD3`) its rules are listed."""
    from gradlint.report import COLUMNS
    from gradlint.report import pages as report

    painted = terminal.wants_colour(color, sys.stdout, os.environ)
    if family := loading.begun_by(word):
        _show_table(family, color)
    else:
        terminal.show(report.page(loading.find(word), painted, terminal.columns(sys.stdout, COLUMNS)), painted)
    _warn_of_stripped_pages()
    return CLEAN


def _show_table(rules: Sequence[Rule], color: str) -> None:
    from gradlint import pages
    from gradlint.report import COLUMNS
    from gradlint.report import pages as report

    if not terminal.is_terminal(sys.stdout):
        terminal.write(pages.table(rules))
        return
    painted = terminal.wants_colour(color, sys.stdout, os.environ)
    terminal.show(report.families(rules, painted, terminal.columns(sys.stdout, COLUMNS)), painted)


def _warn_of_stripped_pages() -> None:
    """Name the reason that the rules have no pages, where Python took them away."""
    if sys.flags.optimize > 1:
        terminal.warn("what the pages of rules say was stripped; run Python without `-OO` and `PYTHONOPTIMIZE=2`")


@click.command(short_help="Confirm the rules on the installed torch.")
@click.argument("word", metavar="[CODE|NAME]", required=False)
@click.option("--cases", metavar="FOLDER", default="tests/cases", help="Where case files are. [tests/cases]")
@_color
def prove(word: str | None, cases: str, color: str) -> int:
    """Run each example of the rules, or of one, on the installed torch.

    A tick each: gradlint sees the mistake on the marked lines and nothing else, torch shows what the rule claims, and
    the cure is quiet and does not show it. Where a marked line is not reported, the events that were heard there are
    named. A rule's case file, where there is one, is held against its marks. Ends with 1 if a claim fails, 2 if torch
    is not installed.
    """
    from gradlint import proving
    from gradlint.report import proofs

    try:
        for line in proving.ran_on():
            terminal.say(line)
    except proving.TorchMissing as error:
        raise click.ClickException(str(error)) from error
    every = loading.rules()
    wanted = (loading.find(word),) if word else every
    proved: list[proving.Proof] = []
    words = not terminal.can_show(proofs.TICKS[True], sys.stdout)
    found = _kept(_proofs(wanted, every, cases), proved)
    for line in proofs.lines(found, words=words, painted=terminal.wants_colour(color, sys.stdout, os.environ)):
        terminal.write(f"{line}\n")
    failed, skipped = sum(proof.failed for proof in proved), sum(bool(proof.skipped) for proof in proved)
    terminal.say(f"{counted(len(proved), 'example')}: {failed} failed, {skipped} skipped")
    return FOUND if failed else CLEAN


def _proofs(wanted: Iterable[Rule], every: Sequence[Rule], cases: str) -> Iterator[Proof]:
    """Yield the proofs of each rule's examples, and of its case file where the folder has one."""
    from gradlint import proving
    from gradlint.testing.cases import proof_of

    for rule in wanted:
        yield from proving.prove([rule], every)
        if (proof := proof_of(rule, cases, every)) is not None:
            yield proof


def _kept(proofs: Iterable[Proof], kept: list[Proof]) -> Iterator[Proof]:
    for proof in proofs:
        kept.append(proof)
        yield proof


# ---- new


@click.group(short_help="Scaffold a new rule.")
def new() -> None:
    """Scaffold a rule."""


@new.command("rule", short_help="Scaffold a rule: its file and its case file.")
@click.argument("name", metavar="NAME")
@click.option("--code", metavar="CODE", help="The rule's code. [the next free one of the folder]")
@click.option("--folder", metavar="FOLDER", default="rules", help="Where the rule goes. [rules]")
@click.option("--cases", metavar="FOLDER", default="tests/cases", help="Where its cases go. [tests/cases]")
def new_rule(name: str, code: str | None, folder: str, cases: str) -> int:
    """Write the file of a rule called NAME and its case file, with what is missing marked as missing.

    A rule is called after its mistake, in lower-case words joined by hyphens. `gradlint prove NAME` tells what is left
    to do.
    """
    from gradlint import scaffold

    taken = [word for rule in loading.rules() for word in (rule.code, rule.name)]
    try:
        begun = scaffold.begin(name, code, folder, cases, taken)
    except scaffold.CannotBegin as error:
        raise click.ClickException(str(error)) from error
    for path in begun.files:
        terminal.say(f"wrote {safe_name(path)}")
    terminal.say(f"{begun.code} {name} is begun; `gradlint prove {name}` tells what is missing")
    return CLEAN
