"""Descriptions of rules: the table of all, and the parts of the page of one."""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Sequence
from itertools import groupby
from string import Formatter
from typing import Any

from gradlint import versions
from gradlint.finding import printed
from gradlint.rule import Consequence, Example, Grows, Raises, Rule, Warns

_MARKER = re.compile(r"(?<![ \t])[ \t]*+#[ \t]*+[A-Z]{3}[0-9]{3}(?:[ \t]++[A-Z]{3}[0-9]{3})*[ \t]*+$", re.MULTILINE)


# ---- all rules


def table(rules: Sequence[Rule]) -> str:
    """A line for each rule: code, name, whether it is on by default, and what it says first."""
    names = max((len(rule.name) for rule in rules), default=0)
    effects = max((len(printed(rule.effect)) for rule in rules), default=0)
    rows = [
        (
            rule.code,
            f"{rule.name:<{names}}",
            "on " if rule.default else "off",
            f"{printed(rule.effect):<{effects}}",
            with_range(rule),
        )
        for rule in rules
    ]
    return "".join("  ".join(row).rstrip() + "\n" for row in rows)


def markdown(rules: Sequence[Rule]) -> str:
    """The same as a Markdown table."""
    rows = [("code", "name", "effect", "the mistake"), ("---",) * 4]
    rows += [
        (rule.code, f"`{rule.name}`", f"{printed(rule.effect)}{'' if rule.default else ' (off)'}", with_range(rule))
        for rule in rules
    ]
    return _table(rows)


def markdown_of_families(rules: Sequence[Rule]) -> str:
    """A Markdown table of families: how many rules each has, and the first of them as an example."""
    rows = [("family", "rules", "for example"), ("---",) * 3]
    for name, group in groupby(sorted(rules, key=lambda rule: (family(rule), rule.code)), key=family):
        first, *others = group
        title, _ = family_texts(first) or (name, "")
        rows.append((title, str(1 + len(others)), f"{first.code} `{first.name}`: {summary(first)}"))
    head, under, *body = rows
    return _table([head, under, *sorted(body, key=lambda row: row[-1])])


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |\n" for row in rows)


_BEGIN, _FAMILIES, _END = "gradlint rules", "families", "<!-- end of the table -->"


def with_table(text: str, rules: Sequence[Rule]) -> str | None:
    """A Markdown page with the tables, of rules or of `families`, as they are now; None if it has no place for one."""
    rows = text.splitlines(keepends=True)
    last = max((at for at, row in enumerate(rows) if row.strip() == _END), default=-1)
    out, is_table = list[str](), False
    for at, row in enumerate(rows):
        is_table = is_table and row.strip() != _END
        if not is_table:
            out.append(row)
        if at < last and not is_table and _begins(row):
            is_table = True
            out.append((markdown_of_families if _FAMILIES in row else markdown)(rules))
    return "".join(out) if any(map(_begins, rows[: max(last, 0)])) else None


def _begins(row: str) -> bool:
    """Return whether a table follows on a row, up to the one that says so."""
    return row.startswith("<!--") and _BEGIN in row


def as_object(rule: Rule) -> dict[str, Any]:
    """A rule as JSON knows it. `message` and `help` are templates: what stands in braces is filled in."""
    return {
        "code": rule.code,
        "name": rule.name,
        "family": family(rule),
        "summary": summary(rule),
        "message": rule.message,
        "help": rule.help,
        "default": rule.default,
        "effect": rule.effect,
        "consequence": "; ".join(shown_by_torch(rule)),
        "since": versions.written(rule.since) if rule.since else None,
        "until": versions.written(rule.until) if rule.until else None,
        "yields_to": list(rule.yields_to),
        "worth": _worth(rule),
        "page": rule.page.strip(),
    }


def _worth(rule: Rule) -> dict[str, Any] | None:
    """Return the judgements of a rule, and whether they are enough to say something of it."""
    if rule.worth is None:
        return None
    counts = {"wanted": rule.worth.wanted, "unwanted": rule.worth.unwanted, "projects": rule.worth.projects}
    return {**counts, "measured": rule.worth.is_measured}


def summary(rule: Rule) -> str:
    """The claim with which the rule's page begins."""
    return rule.page.strip().partition("\n")[0]


def cure(rule: Rule) -> str:
    """Return the cure for the rule's mistakes, without the facts of a single one."""
    help = without_facts(rule.help)
    return help if help.strip(" .") else without_facts(rule.message)


def with_range(rule: Rule) -> str:
    """The claim, and in which versions of torch it is one, if not in all."""
    span = versions.described(rule)
    return f"{summary(rule)} (torch {span})" if span else summary(rule)


def family(rule: Rule) -> str:
    """The folder that the rule's file is in; empty for a rule that is in none."""
    folders = rule.checks[0][2].__module__.split(".")[1:-1] if rule.checks else []
    return folders[-1] if folders else ""


def family_texts(rule: Rule) -> tuple[str, str] | None:
    """The title of a rule's family and what is said of it, as the folder's module has it; None where it has nothing."""
    folder = sys.modules.get(rule.checks[0][2].__module__.rpartition(".")[0]) if family(rule) else None
    text = inspect.cleandoc(folder.__doc__ or "") if folder is not None else ""
    title, _, text = text.partition("\n")
    return (title.rstrip("."), text.strip()) if title else None


# ---- what is said of one


def without_facts(template: str) -> str:
    """A message or help with three dots in place of what a finding fills in."""
    return "".join(text + ("" if fact is None else "...") for text, fact, *_ in Formatter().parse(template))


def shown_by_torch(rule: Rule) -> list[str]:
    """The same, in words."""
    return list(dict.fromkeys(described(each) for each in consequences(rule)))


def measured(rule: Rule) -> str:
    """Return the worth of its findings in real code, in words."""
    found = rule.worth
    if found is None:
        return "Unmeasured: none of its findings in real code was judged."
    counts = f"{found.wanted} of {found.judged} judged findings in real code were wanted, in {found.projects} projects"
    if not found.is_measured:
        return f"Unmeasured: {counts}, which are too few."
    return f"Measured: {counts}{', so that they are possible at most' if found.is_too_low else ''}."


def consequences(rule: Rule) -> list[Consequence]:
    """Each consequence that the rule's evidence shows, once."""
    given = [rule.consequence, *(evidence.shows for evidence in rule.evidence)]
    return list(dict.fromkeys(each for each in given if each is not None))


def described(consequence: Consequence) -> str:
    """A consequence in words."""
    if isinstance(consequence, Raises):
        return f"raises {consequence.error.__name__}: ... {consequence.saying} ..."
    if isinstance(consequence, Warns):
        return f"warns: ... {consequence.saying} ..."
    if isinstance(consequence, Grows):
        return "keeps more memory alive with every step"
    said = inspect.getdoc(consequence) or consequence.__name__.replace("_", " ")
    return said.partition("\n")[0].rstrip(".")


# ---- examples


def source(example: Example) -> str:
    """The example as a reader writes it: without its decorators and without markers."""
    return _MARKER.sub("", written(example)).rstrip()


def written(example: Example) -> str:
    """The example without its decorators."""
    lines = textwrap.dedent(inspect.getsource(example)).splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith(("def ", "async def ")))
    return "\n".join(lines[first:]) + "\n"
