"""The page of a rule: wrong and right, what gradlint says, what torch does, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradlint import pages, versions
from gradlint.finding import Finding
from gradlint.proving import Case, cases_of
from gradlint.proving.examples import BadEvidence, marked_rows, without_markers
from gradlint.rule import Consequence, Example, Raises, Rule, Warns
from gradlint.site import layout
from gradlint.site.index import errors


def rule_page(rule: Rule, together: Sequence[Rule]) -> str:
    """All there is to read about a rule."""
    head, _, rest = rule.page.strip().partition("\n")
    cases = cases_of(rule, together)
    examples = [part for case in cases if case.is_bad for part in _pair(case)]
    title = f"<h1><span>{layout.escape(rule.code)}</span> {layout.escape(rule.name)}</h1>"
    parts = [title, f'<p class="lead">{layout.inline(head)}</p>', _facts(rule), *examples[:1]]
    parts += [_titled("What torch does", _torch(rule)), layout.blocks(rest)]
    parts += [_titled("More examples", "".join(examples[1:])), _titled("Related", _related(rule, together))]
    return "\n".join(part for part in parts if part)


def _titled(title: str, html: str) -> str:
    return f"<h2>{title}</h2>{html}" if html else ""


def _facts(rule: Rule) -> str:
    family, span = pages.family(rule).replace("_", " "), versions.described(rule)
    torch = f'<span class="chip">torch {layout.escape(span)}</span>' if span else ""
    facts = f'{layout.chips(rule)}<span class="chip">{layout.escape(family)}</span>{torch}'
    return f'<p class="facts">{facts}</p><p class="facts">{layout.escape(pages.measured(rule))}</p>'


def _torch(rule: Rule) -> str:
    """Return the behaviour that torch is seen to show, and the other words in which it or Python tells of it."""
    shown = pages.consequences(rule)
    said = [f"<li>{each}</li>" for each in dict.fromkeys(map(_consequence, shown))]
    quoted = [each.saying for each in shown if isinstance(each, Raises | Warns)]
    others = [each for each in errors(rule) if not any(each in one for one in quoted)]
    words = "".join(f"<li><samp>{layout.escape(each)}</samp></li>" for each in others)
    return f"<ul>{''.join(said)}</ul>" + (f"<p>Errors that it leads to as well:</p><ul>{words}</ul>" if words else "")


def _consequence(shown: Consequence) -> str:
    """A consequence in words, those of torch as they are."""
    if isinstance(shown, Raises):
        return f"raises <code>{layout.escape(shown.error.__name__)}</code>: <samp>{layout.escape(shown.saying)}</samp>"
    if isinstance(shown, Warns):
        return f"warns: <samp>{layout.escape(shown.saying)}</samp>"
    return layout.inline(pages.described(shown))


def _related(rule: Rule, together: Sequence[Rule]) -> str:
    """The rules that this one yields to, and those that yield to it."""
    near = [one for one in together if one.code in rule.yields_to or rule.code in one.yields_to]
    return f"<ul class='rules'>{''.join(layout.entry(one, up='../') for one in near)}</ul>" if near else ""


# ---- examples


def _pair(case: Case) -> Iterator[str]:
    """A bad example beside its cures."""
    wrong = _program("Wrong", case) + "".join(_said(found) for found in _found(case))
    right = "".join(f"<div>{_program('Right', cure)}</div>" for cure in case.cures)
    yield f'<section class="pair"><div>{wrong}</div>{right}</section>'


def _program(title: str, case: Case) -> str:
    kind = title.lower()
    parts = [
        f'<h3 class="{kind}">{title}: {layout.escape(case.name.replace("_", " "))}</h3>',
        _code(case.evidence.example),
    ]
    for name, neighbour in case.evidence.files.items():
        parts += [f"<h4>{layout.escape(name)}</h4>", _code(neighbour)]
    return "".join(parts)


def _code(example: Example) -> str:
    text = pages.written(example)
    return layout.code(without_markers(text).rstrip("\n"), frozenset(row for row, _ in marked_rows(text)))


def _found(case: Case) -> list[Finding]:
    """Return the rule's findings in an example; nothing where that cannot be read."""
    try:
        return [found for found in case.findings() if found.code == case.rule.code]
    except BadEvidence:
        return []


def _said(found: Finding) -> str:
    help = f"<br><b>help</b> {layout.inline(found.help)}" if found.help else ""
    return f'<p class="said"><b>{layout.escape(found.code)}</b> {layout.inline(found.message)}{help}</p>'
