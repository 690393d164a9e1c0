"""A rule offers a fix exactly where an edit cures, and leaves the rest to the author."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gradlint import fixes, linter
from gradlint.registry import rules
from gradlint.rule import Rule

RULES = {rule.code: rule for rule in rules()}


def mended(code: str, text: str) -> str | None:
    """The text with the first fix of each finding of a rule made; None where nothing is offered."""
    rule = RULES[code]
    found = linter.analyse(text, _with_those_it_yields_to(rule)).findings
    mine = [one for one in found if one.code == code]
    assert mine, "nothing is reported"
    applied = fixes.apply(text, mine, (fixes.SAFE, fixes.UNSAFE))
    return applied.text if applied.fixed else None


def _with_those_it_yields_to(rule: Rule) -> list[Rule]:
    return [rule, *(RULES[code] for code in rule.yields_to)]


BY_HAND = """\
import torch
w = torch.ones(3, requires_grad=True)
for step in range(3):
    (w * 2 - 1).pow(2).sum().backward()
    with torch.no_grad():
"""


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        pytest.param(
            "GRD314",
            BY_HAND + "        w -= 0.1 * w.grad\n        w -= 0.1 * w.grad\n",
            BY_HAND + "        w -= 0.1 * w.grad\n        w -= 0.1 * w.grad\n        w.grad = None\n",
            id="behind the last of two updates",
        ),
        pytest.param(
            "GRD314",
            BY_HAND + "        print(w.grad)\n        w -= 0.1 * w.grad\n",
            BY_HAND + "        print(w.grad)\n        w -= 0.1 * w.grad\n        w.grad = None\n",
            id="read before the update",
        ),
    ],
)
def test_a_fix_is_offered(code: str, before: str, after: str) -> None:
    assert mended(code, dedent(before)) == dedent(after)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        pytest.param("GRD314", BY_HAND + "        w -= 0.1 * w.grad\n    print(w.grad.norm())\n", id="read later"),
        pytest.param(
            "GRD314",
            BY_HAND + "        w -= 0.1 * w.grad\n        if step:\n            w -= 0.1 * w.grad\n",
            id="perhaps updated again",
        ),
        pytest.param(
            "GRD314",
            BY_HAND + "        for _ in range(2):\n            w -= 0.1 * w.grad\n",
            id="updated several times at one place",
        ),
    ],
)
def test_no_fix_is_offered_where_it_might_not_cure(code: str, text: str) -> None:
    assert mended(code, dedent(text)) is None
