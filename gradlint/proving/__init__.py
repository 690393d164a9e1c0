"""Each rule's evidence is put to the proof: seen by gradlint, shown by torch, cured by its cure.

torch is imported only when an example is run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from gradlint import linter, source
from gradlint.proving import consequences
from gradlint.proving.consequences import Skipped
from gradlint.proving.examples import FEW_LINES, Malformed, lines_changed, text_of
from gradlint.proving.running import TorchMissing as TorchMissing
from gradlint.proving.running import require_torch
from gradlint.rule import Evidence, Rule


@dataclass(frozen=True, slots=True)
class Proof:
    """What became of one example of a rule; `kind` is "bad" or "good".

    `seen`: gradlint reports the bad one on exactly its marked lines, and nothing in the good one.
    `shown`: torch shows the consequence for the bad one (None for a good one: it does not apply).
    `cured`: for a good one, torch does not show the consequence, and it differs by few lines from what it cures;
    for a bad one, some good example cures it (None where one claims to: see there).
    `skipped` names the library without which torch could not be asked; `detail` says in words what fails.
    """

    rule: Rule
    example: str
    kind: str
    seen: bool
    shown: bool | None = None
    cured: bool | None = None
    skipped: str = ""
    detail: str = ""

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the example; one that was skipped holds as far as gradlint sees it."""
        return self.seen and self.shown is not False and self.cured is not False


def prove(rules: Sequence[Rule], only: Collection[str] | None = None) -> Iterator[Proof]:
    """Put to the proof, one after another, every example of the rules (of those whose code or name is in `only`).

    `rules` are all that are installed: examples are judged by the default ones together with their own.
    Raises `TorchMissing` at once.
    """
    require_torch()
    chosen = [rule for rule in rules if only is None or rule.code in only or rule.name in only]
    return (proved(rule, evidence, rules) for rule in chosen for evidence in rule.evidence)


def proved(rule: Rule, evidence: Evidence, rules: Sequence[Rule]) -> Proof:
    """The proof of one example, judged by the default rules among `rules` and its own."""
    name, kind = evidence.example.__name__, "good" if evidence.cures else "bad"
    missed = unseen(rule, evidence, rules)
    failing = cured = None
    skipped = ""
    try:
        if kind == "bad":
            failing = unshown(rule, evidence)
            cured = None if cures_of(rule, evidence) else "no good example cures it"
        else:
            cured = uncured(rule, evidence)
    except Skipped as library:
        skipped = str(library)
    except Malformed as error:
        cured = str(error)
    detail = "; ".join(dict.fromkeys(why for why in (missed, failing, cured) if why))
    shown = None if failing is None else not failing
    return Proof(rule, name, kind, not missed, shown, None if cured is None else not cured, skipped, detail)


# ---- seen by gradlint


def unseen(rule: Rule, evidence: Evidence, rules: Sequence[Rule]) -> str:
    """How what gradlint reports differs from what is marked; empty where it does not."""
    judges = [other for other in rules if other.default and other is not rule] + [rule]
    try:
        text = text_of(evidence)
        found = {(f.place.row, f.code) for f in linter.lint(text.text, sorted(judges, key=lambda judge: judge.code))}
    except (Malformed, source.Unreadable) as error:
        return str(error)
    if evidence.cures is None and not any(code == rule.code for _, code in text.marked):
        return f"no line is marked `# {rule.code}`"
    missed = [f"{code} is not reported on line {row}" for row, code in sorted(text.marked - found)]
    extra = [f"{code} is reported on line {row}" for row, code in sorted(found - text.marked)]
    return "; ".join(missed + extra)


# ---- shown by torch, and cured


def unshown(rule: Rule, bad: Evidence) -> str:
    """Why torch does not show what the rule says of the bad example; empty where it does."""
    cures = cures_of(rule, bad)
    consequence = bad.shows or rule.consequence
    if consequence is None:
        return "nothing says what torch shows: the rule has no consequence"
    for cure in cures or (None,):
        if why := consequences.shown(consequence, bad, cure):
            return why
    return ""


def uncured(rule: Rule, good: Evidence) -> str:
    """Why the good example is no cure of what it says it cures; empty where it is."""
    bad = next((given for given in rule.evidence if given.example is good.cures and given.cures is None), None)
    if bad is None:
        return "what it cures is no bad example of this rule"
    consequence = bad.shows or rule.consequence
    if consequence is None:
        return "nothing says what torch shows: the rule has no consequence"
    if (changed := lines_changed(text_of(bad), text_of(good))) > FEW_LINES:
        return f"it differs from `{bad.example.__name__}` by {changed} lines, more than {FEW_LINES}"
    return consequences.cured(consequence, good)


def cures_of(rule: Rule, bad: Evidence) -> tuple[Evidence, ...]:
    """The good examples that say they cure it."""
    return tuple(given for given in rule.evidence if given.cures is bad.example)
