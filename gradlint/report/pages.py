"""Rules on a terminal: all of them by family, and the page of one, fitted to its width."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from gradlint import pages, versions
from gradlint.finding import printed
from gradlint.report import COLUMNS
from gradlint.report.entry import escaped
from gradlint.report.paint import paint
from gradlint.report.wrapping import wrapped
from gradlint.rule import Evidence, Rule

WIDEST = 100
"""The greatest width of text: longer lines are hard to read."""
_CODE = re.compile(r"`([^`]*)`")
_BETWEEN_PARAGRAPHS = re.compile(r"\n\s*\n")
_MARKED = "    "
"""The indentation of code."""


# ---- all rules


def families(rules: Sequence[Rule], painted: bool, columns: int) -> str:
    """The rules below the titles of their families."""
    names = list(dict.fromkeys(pages.family(rule) for rule in rules))
    together = {name: [rule for rule in rules if pages.family(rule) == name] for name in names}
    return "\n".join("".join(f"{line}\n" for line in _family(each, painted, columns)) for each in together.values())


def _family(rules: Sequence[Rule], painted: bool, columns: int) -> Iterator[str]:
    title, _ = pages.family_texts(rules[0]) or (pages.family(rules[0]).replace("_", " "), "")
    yield paint(escaped(title), "bold", painted)
    names = max(len(rule.name) for rule in rules)
    for rule in rules:
        effect = printed(rule.effect) + ("" if rule.default else " (off)")
        yield f"{paint(rule.code, 'red', painted)} {rule.name:<{names}} {paint(effect, 'cyan', painted)}"
        indent = len(rule.code) + 1
        yield from (f"{' ' * indent}{line}" for line in _text(pages.with_range(rule), painted, columns - indent))


# ---- the page of one


def page(rule: Rule, painted: bool = False, columns: int = COLUMNS) -> str:
    """All there is to read about a rule, wrong and right first."""
    columns = min(columns, WIDEST)
    head, _, rest = rule.page.strip().partition("\n")
    bad = [given for given in rule.evidence if given.cures is None]
    blocks = [f"{paint(rule.code, 'red', painted)} {paint(rule.name, 'bold', painted)}"]
    blocks += [_block(head, painted, columns), _facts(rule, painted, columns)]
    blocks += _examples(rule, bad[:1], 1, painted)
    blocks += _titled("What torch does", _list(pages.shown_by_torch(rule), painted, columns), painted)
    blocks += _titled("Help", _block(pages.without_facts(rule.help), painted, columns), painted)
    blocks += [_block(part, painted, columns) for part in _BETWEEN_PARAGRAPHS.split(rest.strip()) if part]
    blocks += _examples(rule, bad[1:], 2, painted)
    return "\n\n".join(block for block in blocks if block) + "\n"


def _facts(rule: Rule, painted: bool, columns: int) -> str:
    """Return the effect of the rule's mistakes, whether it is on, its versions of torch, and what was measured."""
    told = f" (told by: {rule.source})" if rule.source else ""
    span = versions.described(rule)
    torch = f" Torch: {span}{told}." if span else ""
    facts = (
        f"Effect: {printed(rule.effect)}. {'On' if rule.default else 'Off'} by default.{torch} {pages.measured(rule)}"
    )
    return _block(facts, painted, columns)


def _titled(title: str, text: str, painted: bool) -> list[str]:
    return [_title(title, painted), text] if text else []


def _title(title: str, painted: bool, colour: str = "bold") -> str:
    return f"{paint(title, colour, painted)}\n{'-' * len(title)}"


def _block(text: str, painted: bool, columns: int) -> str:
    """A paragraph, or a heading."""
    if text.startswith("## "):
        return _title(text[3:], painted)
    return "\n".join(_text(" ".join(text.split()), painted, columns))


def _list(items: Sequence[str], painted: bool, columns: int) -> str:
    """A dash before each, and what does not fit below it."""
    found = (line for item in items for line in _item(item, painted, columns))
    return "\n".join(found)


def _item(text: str, painted: bool, columns: int) -> Iterator[str]:
    first, *more = _text(text, painted, columns - 2)
    yield f"- {first}"
    yield from (f"  {line}" for line in more)


def _text(text: str, painted: bool, columns: int) -> list[str]:
    """The lines of a text. Code that goes on in the next line is painted in both."""
    lines, code = list[str](), False
    for line in wrapped(escaped(text), columns):
        opened = f"`{line}" if code else line
        code = opened.count("`") % 2 == 1
        drawn = _inline(f"{opened}`" if code else opened, painted) if painted else line
        lines.append(drawn)
    return lines


def _inline(text: str, painted: bool) -> str:
    """The text with its code painted, whose backticks are then needless."""
    return _CODE.sub(lambda match: paint(match[1], "cyan", painted), text) if painted else text


# ---- examples


def _examples(rule: Rule, bad: Sequence[Evidence], first: int, painted: bool) -> Iterator[str]:
    """Each mistake and its cures, numbered."""
    for number, wrong in enumerate(bad, first):
        yield from _example(f"Wrong, example {number}", wrong, "red", painted)
        for right in rule.evidence:
            if right.cures is wrong.example:
                yield from _example(f"Right, example {number}", right, "green", painted)


def _example(title: str, given: Evidence, colour: str, painted: bool) -> Iterator[str]:
    yield f"{paint(title, colour, painted)} ({given.example.__name__.replace('_', ' ')}):"
    yield textwrap.indent(pages.source(given.example), _MARKED)
    for name, neighbour in given.files.items():
        yield f"{_MARKED}with {name}:"
        yield textwrap.indent(pages.source(neighbour), _MARKED)
