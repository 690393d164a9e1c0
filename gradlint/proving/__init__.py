"""The runtime verifier: every claim of a rule's evidence, seen by gradlint and shown by torch.

For each example of each rule these things are checked.

* Seen: a bad example is reported on exactly its marked lines, with the marked codes, by all rules together; on a
  good one nothing is reported.
* Shown: the consequence holds for the bad example when torch runs it.
* Cured: the consequence does not hold for its cure, run from the same seed, and the two differ by few lines.
* Fixed: where a fix is offered for a bad example, making it gives a program that is a cure as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from gradlint import fixes, linter, showing, versions
from gradlint.disk import InMemory
from gradlint.finding import LATER, RAISED, RAISES, SAFE, UNSAFE, Confidence, Finding, Place
from gradlint.frozen import frozen
from gradlint.knowledge import differing
from gradlint.knowledge.index import spellings
from gradlint.knowledge.pack_index import NO_PACKS, Packs
from gradlint.pages import described
from gradlint.project import Project, ProjectView
from gradlint.proving.consequences import Subject, Verdict, is_cured, is_shown
from gradlint.proving.examples import BadEvidence, Source, changed_lines, defined, is_same_program, read
from gradlint.proving.surroundings import NotRestored
from gradlint.rule import Consequence, Evidence, Raises, Rule

EXAMPLE = "example.py"
"""The name of an example among its neighbours."""
FEW = 4
"""The most lines that a cure takes away or puts in."""


class TorchMissing(Exception):
    """torch cannot be imported, so nothing can be shown; the message says how to get it."""


@frozen()
class Proof:
    """The verdicts on one example; None where a question does not arise or could not be asked.

    `kind` is "bad" or "good", or "case" for all cases of a file. `skipped` names why torch was not asked, `detail` what
    went wrong, one line per fault.
    """

    rule: Rule
    example: str
    kind: str
    seen: bool | None = None
    shown: bool | None = None
    cured: bool | None = None
    fixed: bool | None = None
    skipped: str = ""
    detail: str = ""

    @property
    def failed(self) -> bool:
        """Return whether some claim was refuted."""
        return False in (self.seen, self.shown, self.cured, self.fixed)

    @property
    def holds(self) -> bool:
        """Return whether every claim was checked and found true."""
        return not self.failed and not self.skipped

    def line(self) -> str:
        """The proof in one line of text."""
        ticks = "  ".join(
            f"{name} {'skipped' if self.skipped and tick is None else {True: 'yes', False: 'NO', None: '-'}[tick]}"
            for name, tick in (
                ("seen", self.seen),
                ("shown", self.shown),
                ("cured", self.cured),
                ("fixed", self.fixed),
            )
        )
        return f"{self.rule.code} {self.kind:4} {self.example}: {ticks}"


def prove(rules: Iterable[Rule], together: Sequence[Rule] | None = None) -> Iterator[Proof]:
    """Prove each example of these rules in turn; all rules of `together` (default: the same rules) may report on it.

    Raises `TorchMissing` at once if torch cannot be imported.
    """
    wanted = tuple(rules)
    every = wanted if together is None else together
    require_torch()
    return (case.proof() for rule in wanted for case in cases_of(rule, every))


def require_torch() -> None:
    """Raises `TorchMissing` unless torch can be imported."""
    try:
        import torch  # noqa: F401
    except (ImportError, OSError) as error:
        fault = f"torch cannot be imported ({type(error).__name__}: {error})"
        cure = "install it beside gradlint: `pip install torch` (any build for CPU will do)"
        raise TorchMissing(f"{fault}, and evidence is shown by running it; {cure}") from error


@cache
def known_here() -> Packs:
    """Return the facts of the torch that is installed; where there is none, of the newest."""
    try:
        import torch
    except (ImportError, OSError):
        return NO_PACKS
    return NO_PACKS.at(versions.nearest(torch.__version__))


def ran_on() -> Iterator[str]:
    """Yield a line on the torch of the proof, and one for each row that differs from the torch every test runs on.

    Raises `TorchMissing`.
    """
    require_torch()
    import torch

    version = known_here().torch.version
    kind = "measured" if version in versions.MEASURED else f"not measured, taken for {versions.written(version)}"
    rows = differing(version, versions.PINNED)
    yield f"torch {torch.__version__} ({kind}); {len(rows)} rows differ from torch {versions.written(versions.PINNED)}"
    for row in rows:
        yield f"  {', '.join(spellings(row))}: torch {versions.described(row)}"


def cases_of(rule: Rule, together: Sequence[Rule]) -> list[Case]:
    """The examples of a rule, each knowing the others."""
    cases = [Case(rule, evidence, together) for evidence in rule.evidence]
    for case in cases:
        case.others = cases
    return cases


@dataclass
class Case:
    """One example of one rule among the others of that rule, and the answers to the three questions about it."""

    rule: Rule
    evidence: Evidence
    together: Sequence[Rule]
    others: Sequence[Case] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        return getattr(self.evidence.example, "__name__", str(self.evidence.example))

    @property
    def is_bad(self) -> bool:
        return self.evidence.cures is None

    @cached_property
    def source(self) -> Source:
        """Raises `BadEvidence`."""
        return read(self.rule, self.evidence)

    @cached_property
    def subject(self) -> Subject:
        """Raises `BadEvidence`."""
        return Subject(self.rule.code, self.evidence, self.source)

    @cached_property
    def disease(self) -> Case:
        """The bad example: itself, or the one it cures. Raises `BadEvidence`."""
        for case in self.others:
            if case.is_bad and case.evidence.example is (self.evidence.cures or self.evidence.example):
                return case
        raise BadEvidence(f"`{self.name}` cures no bad example of {self.rule.code}; name one in `cures=`")

    @property
    def cures(self) -> list[Case]:
        """The good examples that cure this bad one."""
        return [case for case in self.others if case.evidence.cures is self.evidence.example]

    def proof(self) -> Proof:
        """Everything that is asked about the example."""
        if self.outside:
            return Proof(self.rule, self.name, "bad" if self.is_bad else "good", skipped=self.outside)
        verdicts = {"seen": self.seen()}
        if self.is_bad:
            verdicts["shown"] = self.shown()
        verdicts["cured"] = self.cured()
        verdicts["fixed"] = self.fixed()
        return Proof(
            self.rule,
            self.name,
            "bad" if self.is_bad else "good",
            skipped=next((verdict.skipped for verdict in verdicts.values() if verdict.skipped), ""),
            detail="\n".join(dict.fromkeys(verdict.fault for verdict in verdicts.values() if verdict.fault)),
            **{name: verdict.holds for name, verdict in verdicts.items()},
        )

    @property
    def outside(self) -> str:
        """Return the reason that nothing is asked on the torch that is installed; empty where the rule holds there."""
        held = versions.holds(self.rule, known_here().torch.version)
        return "" if held else f"a mistake in torch {versions.described(self.rule)} only"

    def seen(self) -> Verdict:
        """Reported on exactly the marked lines if bad, quiet if good."""
        try:
            source = self.source
            everything = self._findings(source.text)
        except BadEvidence as error:
            return Verdict(False, str(error))
        if hidden := behind_gate(source.text, everything, self.together, self._neighbours()):
            return Verdict(False, hidden[0])
        if self.is_bad and self.rule.code not in {code for _, code in source.reported}:
            return Verdict(False, f"no line of `{self.name}` is marked `# {self.rule.code}`")
        if not self.is_bad and source.marks:
            return Verdict(False, f"`{self.name}` is a cure and has a marked line")
        return self._compared(source, everything)

    def findings(self) -> tuple[Finding, ...]:
        """Return the findings of all rules in the example. Raises `BadEvidence`."""
        return self._findings(self.source.text)

    def _findings(self, text: str) -> tuple[Finding, ...]:
        """Return the findings of all rules in a text that has the example's neighbours. Raises `BadEvidence`."""
        return self._analysed(text).findings

    def _analysed(self, text: str, watch: linter.Watch = linter.UNWATCHED) -> linter.Analysis:
        """Raises `BadEvidence`."""
        project = self._neighbours()
        try:
            return linter.analyse(text, self.together, packs=known_here(), project=project, watch=watch)
        except Exception as error:
            raise BadEvidence(f"gradlint fails on `{self.name}`: {type(error).__name__}: {error}") from error

    def _neighbours(self) -> ProjectView:
        return Project(InMemory(self.subject.files())).at(EXAMPLE)

    def _compared(self, source: Source, everything: Sequence[Finding]) -> Verdict:
        """Compare findings with markers: reported ones must be marked, marked ones found at some confidence."""
        usual = _places(showing.shown(everything, self.together, Confidence.LIKELY))
        found = _places(showing.shown(everything, self.together, Confidence.POSSIBLE))
        wrong = [(row, code, "is reported and not marked") for row, code in sorted(usual - source.reported)]
        missed = sorted(source.reported - found)
        heard = self._analysed(source.text, linter.Watch(positions=True)).heard if missed else ()
        wrong += [(row, code, f"is marked and not reported; {heard_at(heard, row, code)}") for row, code in missed]
        faults = [f"{self._at(row)}: {code} {what}" for row, code, what in wrong]
        return Verdict(not faults, "\n".join(faults))

    def _at(self, row: int) -> str:
        return f"`{self.name}`, line {row + self.source.shift} of {self.source.file}"

    def shown(self) -> Verdict:
        """Return whether torch shows the consequence of this bad example, and the findings say as much: that there is
        an error where there is one, and that it is at their line only where it is."""
        verdict = _asked(lambda: is_shown(self.consequence, self.subject, [cure.subject for cure in self.cures]))
        consequence = self.consequence
        if not verdict.holds or consequence is None:
            return verdict
        return _asked(lambda: self._told(consequence))

    def _told(self, shown: Consequence) -> Verdict:
        """Return whether the findings tell what the consequence shows."""
        own = [found for found in self._findings(self.source.text) if found.code == self.rule.code]
        effects = {found.consequence for found in own if found.consequence}
        if isinstance(shown, Raises) and shown.later:
            return self._points_at_error(own)
        raises = isinstance(shown, Raises)
        if not effects or (not effects.isdisjoint((RAISES, LATER)) if raises else RAISES not in effects):
            return Verdict(True)
        told = ", ".join(sorted(effects))
        return Verdict(False, f"`{self.name}` shows {described(shown)}, and the finding says: {told}")

    def _points_at_error(self, findings: Sequence[Finding]) -> Verdict:
        """Return whether a note of one of these findings stands at the line that raises."""
        row = self.subject.outcome().rows[-1]
        pointed = [note.place for one in findings for note in one.notes if note.text == RAISED]
        if any(place.row <= row - self.source.shift <= place.end_row for place in pointed):
            return Verdict(True)
        return Verdict(False, f"`{self.name}` raises at line {row} of {self.source.file}, where no note says so")

    def cured(self) -> Verdict:
        """Return whether the cure shows no consequence and is close to its example; for a bad one, each cure."""
        if not self.is_bad:
            return _asked(self._cured)
        verdicts = [cure.cured() for cure in self.cures]
        if not verdicts:
            return Verdict(False, f"no good example cures `{self.name}`")
        failed = [verdict for verdict in verdicts if not verdict.holds]
        return failed[0] if failed else verdicts[0]

    def _cured(self) -> Verdict:
        bad = self.disease
        if is_same_program(bad.source, self.source):
            return Verdict(False, f"`{self.name}` is the same program as `{bad.name}`, which it should cure")
        if (changed := changed_lines(bad.source, self.source)) > FEW:
            return Verdict(
                False, f"`{self.name}` changes {changed} lines of `{bad.name}`; a cure changes at most {FEW}"
            )
        return is_cured(bad.consequence, self.subject)

    def fixed(self) -> Verdict:
        """Return whether making the fixes offered for a bad example takes its findings and its consequence away."""
        return _asked(self._fixed) if self.is_bad else Verdict(None)

    def _fixed(self) -> Verdict:
        text = self._with_fixes(self.source.text)
        if text == self.source.text:
            return Verdict(None)
        if self.rule.code in {finding.code for finding in self._findings(text)}:
            return Verdict(False, f"{self.rule.code} is still reported after the fix of `{self.name}`:\n{text}")
        if self.evidence.script:  # what it returns is left out, so there is nothing to measure
            return Verdict(True)
        example = defined(text, self.evidence.example)
        return is_cured(self.consequence, Subject(self.rule.code, replace(self.evidence, example=example), self.source))

    def _with_fixes(self, text: str) -> str:
        """The text with all fixes of this rule made; where one is in the way of another, one after the other."""
        own = [finding for finding in self._findings(text) if finding.code == self.rule.code]
        applied = fixes.apply(text, own, (SAFE, UNSAFE))
        return self._with_fixes(applied.text) if applied.fixed and applied.left else applied.text

    @property
    def consequence(self) -> Consequence | None:
        return self.evidence.shows or self.rule.consequence


def heard_at(heard: Iterable[tuple[str, str, Place]], row: int, code: str) -> str:
    """Return the events that a rule heard in a row (see `linter.Analysis`) where it should have reported something."""
    here = [(of, event) for of, event, place in heard if place.row == row]
    own = sorted({event for of, event in here if of == code})
    others = sorted({event for _, event in here})
    if own:
        return f"it heard {', '.join(own)} there"
    return f"it heard nothing there, and others {', '.join(others)}" if others else "nothing was heard there"


def behind_gate(
    text: str, found: Iterable[Finding], rules: Iterable[Rule], project: ProjectView | None = None
) -> tuple[str, ...]:
    """Return the findings that the gate would hide: a line for each rule whose `tokens` are wrong."""
    codes = {finding.code for finding in found}
    wrong = [rule for rule in rules if rule.code in codes and not linter.may_find(text, [rule], project=project)]
    return tuple(f"{rule.code} finds something where none of its tokens {rule.tokens} stands" for rule in wrong)


def _asked(question: Callable[[], Verdict]) -> Verdict:
    """The answer; what cannot be asked at all is answered no, with the reason."""
    try:
        return question()
    except (BadEvidence, NotRestored) as error:
        return Verdict(False, str(error))


def _places(findings: Iterable[Finding]) -> frozenset[tuple[int, str]]:
    return frozenset((finding.place.row, finding.code) for finding in findings)
