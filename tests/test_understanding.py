"""A good example may not be quiet because gradlint understood nothing of it."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.proving import cases_of
from gradlint.registry import rules

RULES = rules()
GOOD = [
    pytest.param(case, id=f"{rule.code}-{case.name}")
    for rule in RULES
    for case in cases_of(rule, RULES)
    if not case.is_bad
]


def misunderstood(text):
    """The expressions of a text that evaluated to UNKNOWN, as they are written."""
    lines = text.splitlines()
    places = linter.analyse(text, RULES, positions=True).unknown
    return [(place.row, lines[place.row - 1][place.column - 1 :]) for place in places]


@pytest.mark.parametrize("case", GOOD)
def test_a_quiet_example_is_understood(case):
    assert misunderstood(case.source.text) == []


@pytest.mark.parametrize("text", ["strange().thing\n", "import elsewhere\nelsewhere.make(3).grad\n"])
def test_what_is_not_known_is_said(text):
    assert misunderstood(text)
