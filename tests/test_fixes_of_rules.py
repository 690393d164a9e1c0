"""A rule offers a fix exactly where an edit cures, and leaves the rest to the author."""

from __future__ import annotations

import pytest

from gradlint import fixes, linter
from gradlint.registry import rules
from gradlint.rule import Rule

RULES = {rule.code: rule for rule in rules()}


def mended(code: str, text: str) -> str | None:
    """The text with the fixes of a rule made; None where nothing is offered."""
    found = linter.analyse(text, _with_those_it_yields_to(RULES[code])).findings
    mine = [one for one in found if one.code == code]
    assert mine, "nothing is reported"
    applied = fixes.apply(text, mine, (fixes.SAFE, fixes.UNSAFE))
    return applied.text if applied.fixed else None


def _with_those_it_yields_to(rule: Rule) -> list[Rule]:
    return [rule, *(RULES[code] for code in rule.yields_to)]


def named(cases):
    return [pytest.param(*texts, id=f"{texts[0]}-{why}") for why, *texts in cases]


BY_HAND = """\
import torch
w = torch.ones(3, requires_grad=True)
for step in range(3):
    (w * 2 - 1).pow(2).sum().backward()
    with torch.no_grad():
"""
UPDATE = "        w -= 0.1 * w.grad\n"
MIXED = """\
import torch
held = {'weight': torch.ones(2), 'step': torch.tensor(1)}
"""
EACH = "for one in held.values():\n"

OFFERED = [
    ("two updates", "GRD314", BY_HAND + 2 * UPDATE, BY_HAND + 2 * UPDATE + "        w.grad = None\n"),
    (
        "read before the update",
        "GRD314",
        BY_HAND + "        print(w.grad)\n" + UPDATE,
        BY_HAND + "        print(w.grad)\n" + UPDATE + "        w.grad = None\n",
    ),
    (
        "asked by a method",
        "GRD102",
        MIXED + EACH + "    one.requires_grad_()  # all\n",
        MIXED + EACH + "    if one.is_floating_point():\n        one.requires_grad_()  # all\n",
    ),
    (
        "complex numbers can require grad as well",
        "GRD102",
        MIXED + "held['i'] = torch.ones(1) * 1j\n" + EACH + "    one.requires_grad = True\n",
        MIXED
        + "held['i'] = torch.ones(1) * 1j\n"
        + EACH
        + "    if one.is_floating_point() or one.is_complex():\n        one.requires_grad = True\n",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("code", "before", "after"), named(OFFERED))
def test_a_fix_is_offered_where_it_cures(code: str, before: str, after: str) -> None:
    assert mended(code, before) == after


NOT_OFFERED = [
    ("read later", "GRD314", BY_HAND + UPDATE + "    print(w.grad.norm())\n"),
    ("perhaps updated again", "GRD314", BY_HAND + UPDATE + "        if step:\n    " + UPDATE),
    ("updated several times", "GRD314", BY_HAND + "        for _ in range(2):\n    " + UPDATE),
    ("no statement", "GRD102", MIXED + "each = [one.requires_grad_() for one in held.values()]\n"),
    ("its value is used", "GRD102", MIXED + EACH + "    last = one.requires_grad_()\n"),
]


@pytest.mark.parametrize(("code", "text"), named(NOT_OFFERED))
def test_no_fix_is_offered_where_it_might_not_cure(code: str, text: str) -> None:
    assert mended(code, text) is None
