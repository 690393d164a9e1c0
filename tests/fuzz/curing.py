"""Fixes, held against torch: the program with the fix of a finding runs as far, and no longer shows the mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from gradlint.finding import SAFE, UNSAFE, Finding
from gradlint.fixes import apply
from tests.fuzz.acts import Run
from tests.fuzz.silent import SEEN, rows_of
from tests.fuzz.witness import witnessed

Lint = Callable[[str], Sequence[Finding]]


@dataclass(slots=True)
class Cured:
    """How many fixes were made, by rule, and those that did not cure: the rule, and why."""

    made: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[str, str]] = field(default_factory=list)

    def update(self, other: Cured) -> None:
        self.made.update(other.made)
        self.failed += other.failed


def cured(text: str, findings: Sequence[Finding], lint: Lint) -> Cured:
    """Make the fix of each finding of a silent rule alone, in a program that runs to its end."""
    out = Cured()
    offered = [one for one in findings if one.code in SEEN and any(fix.safety in (SAFE, UNSAFE) for fix in one.fixes)]
    if not offered:
        return out
    before = witnessed(text)
    if any(run.error for run in before):
        return out
    for finding in offered:
        out.made[finding.code] += 1
        fixed = apply(text, [finding], (SAFE, UNSAFE)).text
        out.failed += ((finding.code, why) for why in _faults(finding, before, fixed, findings, lint))
    return out


def _faults(
    finding: Finding, before: Sequence[Run], fixed: str, findings: Sequence[Finding], lint: Lint
) -> Iterator[str]:
    try:
        after = witnessed(fixed)
    except SyntaxError as error:
        yield f"is no program any more: {error}"
        return
    stopped = next((run.error for run in after if run.error), None)
    if stopped is not None and not isinstance(stopped, RuntimeError):
        yield f"stops: {type(stopped).__name__}: {stopped}"
        return
    code = finding.code
    if _count(lint(fixed), code) >= _count(findings, code):
        yield "is still reported"
    certain = SEEN[code].certain
    if certain is not None and stopped is None:
        had = [[one for one in certain(run) if one & rows_of(finding)] for run in before]
        left = [[*certain(run)] for run in after]
        if all(had) and all(len(now) >= len([*certain(run)]) for now, run in zip(left, before, strict=True)):
            yield "still shows"


def _count(findings: Sequence[Finding], code: str) -> int:
    return sum(one.code == code for one in findings)
