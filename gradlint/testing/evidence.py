"""A rule pack's evidence as pytest tests. The whole test file of a pack whose codes begin with `ABC`:

    from gradlint.testing.evidence import evidence_tests

    test_seen, test_shown, test_cured = evidence_tests("ABC")
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradlint.proving import cures_of, uncured, unseen, unshown
from gradlint.proving.consequences import Skipped
from gradlint.registry import rules
from gradlint.rule import Evidence, Rule

Test = Callable[..., None]


def evidence_tests(prefix: str) -> tuple[Test, Test, Test]:
    """Three parametrised tests over the evidence of the installed rules whose codes begin so: seen, shown, cured."""
    every = rules()
    chosen = [(rule, given) for rule in every if rule.code.startswith(prefix) for given in rule.evidence]
    if not chosen:
        raise LookupError(f"no installed rule's code begins with `{prefix}`; install the pack that is to be tested")

    @_over(chosen)
    def test_seen(rule: Rule, evidence: Evidence) -> None:
        """gradlint reports a bad example on exactly its marked lines and a good one nowhere."""
        assert not unseen(rule, evidence, every)

    @_over([(rule, given) for rule, given in chosen if given.cures is None])
    def test_shown(rule: Rule, evidence: Evidence) -> None:
        """torch shows the consequence for a bad example, and something cures it."""
        assert not _unless_skipped(unshown, rule, evidence)
        assert cures_of(rule, evidence), "no good example cures it"

    @_over([(rule, given) for rule, given in chosen if given.cures is not None])
    def test_cured(rule: Rule, evidence: Evidence) -> None:
        """A good example differs little from what it cures, and torch does not show the consequence."""
        assert not _unless_skipped(uncured, rule, evidence)

    return test_seen, test_shown, test_cured


def _over(chosen: list[tuple[Rule, Evidence]]) -> Callable[[Test], Test]:
    names = [f"{rule.code}-{given.example.__name__}" for rule, given in chosen]
    mark: Any = pytest.mark.parametrize(("rule", "evidence"), chosen, ids=names)
    return mark  # type: ignore[no-any-return]


def _unless_skipped(ask: Callable[[Rule, Evidence], str], rule: Rule, evidence: Evidence) -> str:
    try:
        return ask(rule, evidence)
    except Skipped as library:
        pytest.skip(f"{library} is not installed")
