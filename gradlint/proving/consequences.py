"""Consequences, measured: whether torch shows one on an example, and whether its cure is free of it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import field
from itertools import pairwise

from gradlint.frozen import frozen
from gradlint.proving.examples import STEPS, BadEvidence, Source
from gradlint.proving.running import Outcome, run
from gradlint.rule import Consequence, Evidence, Example, Grows, Raises, Warns


@frozen()
class Verdict:
    """The answer to one question: yes, no with the fault, or None where torch was not asked because it was skipped."""

    holds: bool | None
    fault: str = ""
    skipped: str = ""


@frozen()
class Subject:
    """An example that torch can run; each run is from the same seed and is made once for each number of steps."""

    code: str
    evidence: Evidence
    source: Source
    runs: dict[int | None, Outcome] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        return self.evidence.example.__name__

    def outcome(self, steps: int | None = None) -> Outcome:
        """Return the outcome of the example. Raises `NotRestored`."""
        if steps not in self.runs:
            self.runs[steps] = self.again(steps)
        return self.runs[steps]

    def again(self, steps: int | None = None) -> Outcome:
        """The same once more."""
        return run(self.evidence.example, self.files(), steps)

    def files(self) -> dict[str, str]:
        """The neighbours of the example as texts."""
        return {name: neighbour(example) for name, example in self.evidence.files.items()}


def neighbour(example: Example) -> str:
    """The body of a function as the text of a file."""
    lines, _ = inspect.getsourcelines(example)
    text = textwrap.dedent("".join(lines))
    (node,) = ast.parse(text).body
    if not isinstance(node, ast.FunctionDef):
        raise BadEvidence(f"`{example.__name__}` is no function whose body could be a file")
    return textwrap.dedent("".join(text.splitlines(keepends=True)[node.body[0].lineno - 1 :]))


def is_shown(consequence: Consequence | None, bad: Subject, cures: Sequence[Subject]) -> Verdict:
    """Return whether the consequence holds for the bad example, compared with each of its cures where it compares."""
    return _KINDS[_kind(consequence, bad)][0](consequence, bad, cures)


def is_cured(consequence: Consequence | None, good: Subject) -> Verdict:
    """Return whether the cure runs through and does not show the consequence."""
    return _KINDS[_kind(consequence, good)][1](consequence, good)


def _kind(consequence: Consequence | None, subject: Subject) -> type:
    if consequence is None:
        raise BadEvidence(f"{subject.code} has no consequence, and neither has `{subject.name}`")
    return type(consequence) if type(consequence) in _KINDS else object


def _skipped(outcome: Outcome) -> Verdict:
    return Verdict(None, skipped=f"needs `{outcome.missing}`, which is not installed")


def _stopped(subject: Subject, outcome: Outcome) -> Verdict | None:
    """The verdict on an example that should have run to its end and did not."""
    if outcome.missing:
        return _skipped(outcome)
    if outcome.error is not None:
        where = f" at line {outcome.rows[-1]}" if outcome.rows else ""
        return Verdict(False, f"`{subject.name}` raises {outcome.trouble}{where}")
    return None


# ---- Raises


def _raises(consequence: Raises, bad: Subject, cures: Sequence[Subject]) -> Verdict:
    outcome = bad.outcome()
    if outcome.missing:
        return _skipped(outcome)
    if outcome.error is None:
        return Verdict(False, f"`{bad.name}` raises nothing")
    if not issubclass(outcome.error, consequence.error) or consequence.saying not in outcome.message:
        return Verdict(False, f"`{bad.name}` raises {outcome.trouble}, not {consequence}")
    if not outcome.rows or not (consequence.later or _at_mark(bad, outcome.rows[-1])):
        where = f"at line {outcome.rows[-1]}" if outcome.rows else "outside of its own lines"
        return Verdict(False, f"`{bad.name}` raises {where} of {bad.source.file}, which is not marked {bad.code}")
    return Verdict(True)


def _at_mark(bad: Subject, row: int) -> bool:
    """Return whether a row of the file belongs to something that begins on a marked line."""
    row -= bad.source.shift
    marked = {at for at, code in bad.source.reported if code == bad.code}
    if row in marked:
        return True
    whole = (ast.expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Delete)
    return any(
        isinstance(node, whole) and node.lineno in marked and node.lineno <= row <= (node.end_lineno or node.lineno)
        for node in ast.walk(ast.parse(bad.source.text))
    )


def _raises_nothing(consequence: Raises, good: Subject) -> Verdict:
    return _stopped(good, good.outcome()) or Verdict(True)


# ---- Warns


def _warns(consequence: Warns, bad: Subject, cures: Sequence[Subject]) -> Verdict:
    outcome = bad.outcome()
    if stopped := _stopped(bad, outcome):
        return stopped
    if any(consequence.saying in warning for warning in outcome.warnings):
        return Verdict(True)
    return Verdict(
        False, f"`{bad.name}` gives no warning that says {consequence.saying!r}: {outcome.warnings or 'none'}"
    )


def _warns_not(consequence: Warns, good: Subject) -> Verdict:
    outcome = good.outcome()
    if stopped := _stopped(good, outcome):
        return stopped
    if any(consequence.saying in warning for warning in outcome.warnings):
        return Verdict(False, f"`{good.name}` still warns: {consequence.saying!r}")
    return Verdict(True)


# ---- Grows


def _alive(subject: Subject) -> tuple[Verdict | None, tuple[int, ...]]:
    outcomes = [subject.outcome(steps) for steps in STEPS]
    stopped = next((found for outcome in outcomes if (found := _stopped(subject, outcome))), None)
    return stopped, tuple(outcome.alive for outcome in outcomes)


def _grows(consequence: Grows, bad: Subject, cures: Sequence[Subject]) -> Verdict:
    stopped, alive = _alive(bad)
    if stopped:
        return stopped
    if all(fewer < more for fewer, more in pairwise(alive)):
        return Verdict(True)
    return Verdict(False, f"`{bad.name}` keeps {alive} nodes and saved tensors after {STEPS} steps: not ever more")


def _grows_not(consequence: Grows, good: Subject) -> Verdict:
    stopped, alive = _alive(good)
    if stopped:
        return stopped
    if len(set(alive)) == 1:
        return Verdict(True)
    return Verdict(False, f"`{good.name}` keeps {alive} nodes and saved tensors after {STEPS} steps: not as many")


# ---- measurements


def _measured(measure: Callable[..., bool], bad: Subject, cures: Sequence[Subject]) -> Verdict:
    outcome = bad.outcome()
    if stopped := _stopped(bad, outcome):
        return stopped
    if not _compares(measure):
        return _measure(measure, bad, (outcome,), expected=True)
    for cure in cures:
        other = cure.outcome()
        verdict = _stopped(cure, other) or _measure(measure, bad, (outcome, other), expected=True)
        if not verdict.holds:
            return verdict
    return Verdict(bool(cures), "" if cures else f"`{bad.name}` is compared with its cure and has none")


def _measured_not(measure: Callable[..., bool], good: Subject) -> Verdict:
    outcome = good.outcome()
    if stopped := _stopped(good, outcome):
        return stopped
    outcomes = (outcome, good.again()) if _compares(measure) else (outcome,)
    return _measure(measure, good, outcomes, expected=False)


def _compares(measure: Callable[..., bool]) -> bool:
    return len(inspect.signature(measure).parameters) > 1


def _measure(measure: Callable[..., bool], subject: Subject, outcomes: Sequence[Outcome], *, expected: bool) -> Verdict:
    if any(type(outcome.returned) is bool for outcome in outcomes):
        return Verdict(
            False, f"`{subject.name}` returns a verdict; return the object of torch that `consequence` measures"
        )
    try:
        answer = measure(*(outcome.returned for outcome in outcomes))
    except Exception as error:
        return Verdict(False, f"measuring `{subject.name}` raises {type(error).__name__}: {error}")
    if bool(answer) is expected:
        return Verdict(True)
    return Verdict(False, f"the consequence {'still holds' if answer else 'does not hold'} for `{subject.name}`")


_KINDS: dict[type, tuple[Callable[..., Verdict], Callable[..., Verdict]]] = {
    Raises: (_raises, _raises_nothing),
    Warns: (_warns, _warns_not),
    Grows: (_grows, _grows_not),
    object: (_measured, _measured_not),
}
