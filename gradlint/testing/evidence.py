"""Evidence as claims: each example of each rule, and each question about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradlint.proving import Case, cases_of
from gradlint.registry import rules
from gradlint.rule import Rule
from gradlint.testing.claims import Claim, Skipped, parameters, rules_of

QUESTIONS = ("seen", "shown", "cured", "fixed")


def evidence_claims(prefix: str = "", questions: Sequence[str] = QUESTIONS) -> list[Any]:
    """Return these questions on every example of the installed rules whose code begins so, as parameters of a test."""
    return parameters(claims_of(rules_of(prefix), rules(), questions))


def claims_of(
    wanted: Sequence[Rule], together: Sequence[Rule], questions: Sequence[str] = QUESTIONS
) -> Iterator[Claim]:
    """Yield these questions about every example of some rules, where all rules of `together` may report."""
    for rule in wanted:
        for case in cases_of(rule, together):
            for question in questions:
                if question not in ("shown", "fixed") or case.is_bad:
                    yield _claim(rule, case, question)


def _claim(rule: Rule, case: Case, question: str) -> Claim:
    def faults() -> Iterator[str]:
        if case.outside:
            raise Skipped(case.outside)
        verdict = getattr(case, question)()
        if verdict.skipped:
            raise Skipped(verdict.skipped)
        if not verdict.holds:
            yield verdict.fault

    return Claim(f"{rule.code}-{case.name}-{question}", faults)
