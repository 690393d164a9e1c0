"""Explanations of an error: the place where it was made, and the rules that tell of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlint import pages
from gradlint.explain import Explanation
from gradlint.report import COLUMNS, full
from gradlint.report.entry import escaped
from gradlint.report.json import as_object, dumps
from gradlint.report.paint import paint
from gradlint.rule import Rule

LONGEST = 300
"""The most characters of a message that are repeated."""


def report(explained: Explanation, painted: bool, columns: int = COLUMNS) -> str:
    """The error, the findings that explain it with their source, and a paragraph for each rule."""
    blocks = [f"{_named(explained)}\n"]
    if explained.entries:
        blocks.append(full.report(explained.entries, painted, columns))
    blocks += ["".join(_rule(rule, painted)) for rule in explained.rules]
    return "\n".join(blocks)


def _named(explained: Explanation) -> str:
    error, message = explained.raised.error, explained.raised.message
    said = message if len(message) <= LONGEST else f"{message[:LONGEST]}..."
    return escaped(": ".join(part for part in (error, said) if part))


def _rule(rule: Rule, painted: bool) -> Iterator[str]:
    yield f"{paint(rule.code, 'red', painted)} {rule.name}: {escaped(pages.summary(rule))}\n"
    yield f"  {paint('help:', 'green', painted)} {escaped(pages.cure(rule))}\n"


def report_json(explained: Explanation | None) -> str:
    """The same as an object; where nothing was explained, without an error."""
    about: dict[str, Any] = {"error": None, "message": None, "findings": [], "rules": []}
    if explained is not None:
        about["error"], about["message"] = explained.raised.error or None, explained.raised.message
        about["findings"] = [as_object(entry) for entry in explained.entries]
        about["rules"] = [_as_object(rule) for rule in explained.rules]
    return dumps(about, indent=2) + "\n"


def _as_object(rule: Rule) -> dict[str, Any]:
    told = pages.as_object(rule)
    kept = ("code", "name", "summary", "effect", "default")
    return {key: told[key] for key in kept} | {"cure": pages.cure(rule)}
