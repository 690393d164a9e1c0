"""One mistake gives one finding: a rule yields to the one nearer to the cure, where that is shown."""

from __future__ import annotations

from dataclasses import replace
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from gradlint import linter, showing
from gradlint.finding import Confidence, Finding, Note, Place
from gradlint.proving import cases_of
from gradlint.registry import rules
from gradlint.rule import Rule

RULES = rules()
BY_CODE = {rule.code: rule for rule in RULES}
EDGES = [(rule.code, other) for rule in RULES for other in rule.yields_to]
CASES = Path(__file__).parent / "cases"


def test_the_precedence_names_rules_and_has_no_circle():
    assert {code for edge in EDGES for code in edge} <= set(BY_CODE)
    assert set(TopologicalSorter({rule.code: rule.yields_to for rule in RULES}).static_order()) == set(BY_CODE)


def texts_about(*codes):
    """The examples and cases of some rules."""
    for code in codes:
        yield from (case.source.text for case in cases_of(BY_CODE[code], RULES) if case.is_bad)
        yield (CASES / f"{BY_CODE[code].name.replace('-', '_')}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(("yielding", "speaking"), EDGES)
def test_every_precedence_is_met(yielding, speaking):
    """Somewhere both find the same mistake; then the one speaks, and the other where it is selected alone."""
    pair = [BY_CODE[yielding], BY_CODE[speaking]]
    for text in texts_about(yielding, speaking):
        found = showing.shown(linter.analyse(text, pair).findings, [], Confidence.POSSIBLE)  # nothing yields
        together = showing.shown(found, pair, Confidence.POSSIBLE)
        left = {(one.code, one.place) for one in together}
        if hidden := [one for one in found if (one.code, one.place) not in left]:
            alone = linter.lint(text, pair[:1], min_confidence=Confidence.POSSIBLE)
            assert {one.code for one in hidden} == {yielding}
            assert [one.place for one in alone if one in hidden] == [one.place for one in hidden]
            return
    pytest.fail(f"{yielding} yields to {speaking} nowhere; write an example where both find the same mistake")


AT, ELSEWHERE, THIRD = Place(1, 1, 1, 9), Place(2, 1, 2, 9), Place(3, 1, 3, 9)
ONE, OTHER = Finding("ABC101", "one", "m", AT), Finding("ABC102", "other", "m", ELSEWHERE)
USELESS = replace(OTHER, consequence="no effect")


@pytest.mark.parametrize(
    ("one", "other", "yields"),
    [
        (ONE, OTHER, False),
        (ONE, replace(OTHER, place=AT), True),
        (replace(ONE, notes=(Note(ELSEWHERE, "there"),)), OTHER, True),
        (ONE, replace(OTHER, notes=(Note(AT, "here"),)), True),
        (replace(ONE, notes=(Note(THIRD, "a"),)), replace(OTHER, notes=(Note(THIRD, "b"),)), True),
        (replace(ONE, notes=(Note(THIRD, "a"),)), OTHER, False),
        (ONE, replace(OTHER, place=AT, confidence=Confidence.POSSIBLE), False),
        (ONE, replace(OTHER, place=AT, code="ABC103"), False),
    ],
)
def test_a_finding_yields_to_one_that_is_shown_and_about_the_same(one, other, yields):
    planted = [Rule("ABC101", "one", "m", yields_to=("ABC102",)), Rule("ABC102", "other", "m")]
    shown = showing.shown([one, other], planted, Confidence.LIKELY)
    assert (one not in shown) is yields


def test_what_has_no_effect_points_at_where_it_is_missed():
    planted = [Rule("ABC101", "one", "m", yields_to=("ABC102",)), Rule("ABC102", "other", "m")]
    (left,) = showing.shown([replace(ONE, notes=(Note(ELSEWHERE, "there"),)), USELESS], planted, Confidence.LIKELY)
    assert left == replace(USELESS, notes=(Note(AT, "m (ABC101)"),))


@pytest.mark.parametrize(
    "told",
    [replace(USELESS, notes=(Note(AT, "here"),)), replace(USELESS, place=AT), replace(OTHER, notes=(Note(AT, "x"),))],
)
def test_nothing_is_pointed_at_twice_or_as_a_consequence(told):
    planted = [Rule("ABC101", "one", "m", yields_to=("ABC102",)), Rule("ABC102", "other", "m")]
    assert showing.shown([ONE, told], planted, Confidence.LIKELY) == (told,)
