"""Which findings are shown: those believed enough, one of a rule at each place, one for each mistake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from gradlint.finding import Confidence, Finding, Place


class Yielding(Protocol):
    """What is known of a rule here: its findings yield to those of other rules about the same mistake, by code."""

    @property
    def code(self) -> str: ...
    @property
    def yields_to(self) -> tuple[str, ...]: ...


def shown(findings: Iterable[Finding], rules: Sequence[Yielding], min_confidence: Confidence) -> tuple[Finding, ...]:
    """The findings of at least this confidence, one of a rule at each place; a finding yields only to one that is
    shown."""
    return tuple(_yielded(one_at_each_place([f for f in findings if f.confidence <= min_confidence]), rules))


def one_at_each_place(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The best believed finding of each rule at each place: calls in a chain (`x.mul_(2).add_(1)`) begin at one."""
    best: dict[tuple[str, str, int, int], Finding] = {}
    for finding in findings:
        at = _beginning(finding)
        if at not in best or finding.confidence < best[at].confidence:
            best[at] = finding
    return tuple(one for one in findings if best[_beginning(one)] is one)


def _beginning(finding: Finding) -> tuple[str, str, int, int]:
    return finding.code, finding.path, finding.place.row, finding.place.column


def _yielded(findings: Sequence[Finding], rules: Sequence[Yielding]) -> list[Finding]:
    """Findings without those that yield to another rule's finding about the same mistake."""
    yields = {rule.code: frozenset(rule.yields_to) for rule in rules}
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    return [
        finding
        for finding in findings
        if not any(
            same_mistake(finding, other) for code in yields.get(finding.code, ()) for other in by_code.get(code, ())
        )
    ]


def same_mistake(one: Finding, other: Finding) -> bool:
    """Whether they stand at one place, or one of them points at the place of the other, or both point at a third."""
    return not {_at(one), *_noted(one)}.isdisjoint((_at(other), *_noted(other)))


def _at(finding: Finding) -> tuple[str, Place]:
    return finding.path, finding.place


def _noted(finding: Finding) -> list[tuple[str, Place]]:
    return [(note.path or finding.path, note.place) for note in finding.notes]
