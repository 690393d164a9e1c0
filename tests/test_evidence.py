"""Each example of each rule: seen by gradlint, shown by torch, cured."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature

import pytest

from gradlint.proving import Case, cases_of
from gradlint.registry import rules
from gradlint.rule import Grows, Raises, Warns
from gradlint.testing import evidence_claims

RULES = rules()
PAIRS = [
    pytest.param(rule, case, id=f"{rule.code}-{case.name}")
    for rule in RULES
    for case in cases_of(rule, RULES)
    if not case.is_bad
]


@pytest.mark.parametrize("claim", evidence_claims(questions=["seen"]))
def test_gradlint_sees_exactly_the_marked_lines(claim):
    claim.check()


@pytest.mark.parametrize("claim", evidence_claims(questions=["shown"]))
def test_torch_shows_the_consequence(claim):
    claim.check()


@pytest.mark.parametrize("claim", evidence_claims(questions=["cured"]))
def test_the_cure_takes_the_consequence_away(claim):
    claim.check()


@pytest.mark.parametrize("claim", evidence_claims(questions=["fixed"]))
def test_a_fix_is_a_cure(claim):
    claim.check()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_has_evidence_and_a_way_to_measure_it(rule):
    assert rule.checks
    assert [evidence for evidence in rule.evidence if evidence.cures is None]
    assert isinstance(rule.consequence, Raises | Warns | Grows) or callable(rule.consequence)


@pytest.mark.parametrize(("rule", "cure"), PAIRS)
def test_evidence_with_bad_and_good_exchanged_fails(rule, cure):
    """gradlint notices always; torch notices unless the consequence only says that the two differ."""
    disease, (healthy, ill) = cure.disease, exchanged(rule, cure)
    assert healthy.seen().holds is False
    assert ill.seen().holds is False
    if not (callable(disease.consequence) and len(signature(disease.consequence).parameters) > 1):
        assert healthy.shown().holds is not True
        assert ill.cured().holds is not True


def exchanged(rule, cure):
    """The cure given as the bad example, and the bad example as its cure."""
    bad, good = cure.disease.evidence, cure.evidence
    healthy = Case(rule, replace(bad, example=good.example, shows=cure.disease.consequence), RULES)
    ill = Case(rule, replace(good, example=bad.example, cures=good.example), RULES)
    healthy.others = ill.others = [healthy, ill]
    return healthy, ill
