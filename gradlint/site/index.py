"""The index that the search of the site looks through: a script that needs no server to be read."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gradlint import pages
from gradlint.finding import printed
from gradlint.knowledge.errors import PYTHONS, ROWS
from gradlint.rule import Raises, Rule, Warns


def errors(rule: Rule) -> list[str]:
    """The words of errors and warnings that a rule's mistakes lead to; three dots stand for what varies."""
    shown = [rule.consequence, *(given.shows for given in rule.evidence)]
    said = [each.saying for each in shown if isinstance(each, Raises | Warns) and each.saying not in PYTHONS]
    said += [" ... ".join(row.parts) for row in ROWS if rule.code in row.codes]
    return [one for one in dict.fromkeys(said) if not any(one != other and one in other for other in said)]


def index(rules: Sequence[Rule]) -> str:
    """The rules as data of a script. What could end a script is written so that it cannot."""
    rows = [
        {
            "code": rule.code,
            "name": rule.name,
            "effect": printed(rule.effect),
            "summary": pages.summary(rule),
            "errors": errors(rule),
        }
        for rule in rules
    ]
    text = json.dumps(rows, ensure_ascii=False, indent=0).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    return f"const RULES = {text};\n"
