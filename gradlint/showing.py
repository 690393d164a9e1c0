"""The findings that are shown: those believed enough, one of a rule at each place, one for each mistake."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from gradlint.finding import CALLED, Confidence, Effect, Finding, Note, Place
from gradlint.frozen import replace


class Yielding(Protocol):
    """The part of a rule that is known here: its findings yield to those of other rules about the same mistake."""

    @property
    def code(self) -> str: ...
    @property
    def yields_to(self) -> tuple[str, ...]: ...


def shown(
    findings: Iterable[Finding], rules: Sequence[Yielding], min_confidence: Confidence, here: str = ""
) -> tuple[Finding, ...]:
    """The findings of at least this confidence, one of a rule at each place; a finding yields only to one that is
    shown. `here` is the linted file, as those in others name it."""
    return tuple(_yielded(one_at_each_place([f for f in findings if f.confidence <= min_confidence]), rules, here))


def one_at_each_place(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The best believed finding of each rule at each place: calls in a chain (`x.mul_(2).add_(1)`) begin at one. It
    points at the calls of all files that lead there."""
    best: dict[tuple[str, str, int, int], Finding] = {}
    ways: dict[tuple[str, str, int, int], dict[Note, None]] = {}
    for finding in findings:
        at = _beginning(finding)
        ways.setdefault(at, {}).update(dict.fromkeys(note for note in finding.notes if note.text == CALLED))
        if at not in best or finding.confidence < best[at].confidence:
            best[at] = finding
    return tuple(_led_by(one, ways[_beginning(one)]) for one in findings if best[_beginning(one)] is one)


def _led_by(finding: Finding, ways: Iterable[Note]) -> Finding:
    """A finding with notes at these calls as well."""
    more = [way for way in ways if way not in finding.notes]
    return replace(finding, notes=(*finding.notes, *more)) if more else finding


def _beginning(finding: Finding) -> tuple[str, str, int, int]:
    return finding.code, finding.path, finding.place.row, finding.place.column


def _yielded(findings: Sequence[Finding], rules: Sequence[Yielding], here: str) -> list[Finding]:
    """Findings without those that yield to another rule's finding about the same mistake."""
    yields = {rule.code: frozenset(rule.yields_to) for rule in rules}
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    speakers = {
        finding: [
            other
            for code in yields.get(finding.code, ())
            for other in by_code.get(code, ())
            if same_mistake(finding, other, here)
        ]
        for finding in findings
    }
    silent: dict[Finding, list[Finding]] = {}
    for finding, others in speakers.items():
        for other in others[:1]:
            silent.setdefault(other, []).append(finding)
    return [_speaking_for(one, silent.get(one, ()), here) for one in findings if not speakers[one]]


def _speaking_for(finding: Finding, silent: Iterable[Finding], here: str) -> Finding:
    """A finding with notes where others of the same mistake stand: what has no effect is missed there; of another
    mistake they are consequences."""
    notes, told = list[Note](), _places(finding, here)
    for other in silent if finding.consequence == Effect.NO_EFFECT else ():
        if (at := _at(other, here)) not in told:
            told.add(at)
            path = "" if other.path == finding.path else at[0]
            notes.append(Note(other.place, f"{other.message} ({other.code})", path))
    return replace(finding, notes=(*finding.notes, *notes)) if notes else finding


def same_mistake(one: Finding, other: Finding, here: str = "") -> bool:
    """Return whether they stand at one place, or one points at the place of the other, or both at a third; `here` is
    the linted file."""
    return not _places(one, here).isdisjoint(_places(other, here))


def _at(finding: Finding, here: str) -> tuple[str, Place]:
    return finding.path or here, finding.place


def _places(finding: Finding, here: str) -> set[tuple[str, Place]]:
    """The places where a finding stands and at which it points."""
    return {_at(finding, here), *((note.path or finding.path or here, note.place) for note in finding.notes)}
