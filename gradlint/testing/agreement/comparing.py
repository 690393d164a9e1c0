"""One program on both sides: what torch has, what gradlint says, and where they disagree."""

from __future__ import annotations

import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import torch

from gradlint import linter
from gradlint.domain import Fact, OneOf, Tensor
from gradlint.events import Called, Event, Thing
from gradlint.finding import RAISES, Confidence, Finding
from gradlint.proving import known_here
from gradlint.rule import Findings, Rule
from gradlint.testing.agreement.curing import Cured, cured
from gradlint.testing.agreement.silent import Held, held
from gradlint.testing.diary import Diary, kept
from gradlint.testing.programs import REVEAL, both_of, excluded, real

FILE = "<program>"
RUNS, MORE_RUNS = 3, 40
"""How often a program with chance in it is run, and how often to see whether it never raises where it is said to."""
FACTS = ("dtype", "requires_grad", "leaf", "retains", "grad")


@dataclass(slots=True)
class Seen:
    """What torch did in all runs: what it had at each reveal (row, position), the rows it started and how often, and
    those at which it raised, with the words of each error."""

    had: dict[tuple[int, int], list[dict[str, Any]]] = field(default_factory=dict)
    started: Counter[int] = field(default_factory=Counter)
    raised: dict[int, list[str]] = field(default_factory=dict)
    spared: set[int] = field(default_factory=set)
    """Rows that some run came by without an error there: chance decides whether they raise."""
    runs: int = 0
    broken: bool = False
    """Whether a name was used that is not bound: then the program says nothing."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """`kind`: "fact" (torch has what gradlint excludes), "raises" (a finding says that a line raises, and it ran),
    "silent" (a run shows the opposite of what a finding says), "cure" (a fix cures nothing), or "crash" (gradlint
    fails)."""

    kind: str
    row: int
    what: str

    @property
    def sort(self) -> tuple[str, str]:
        """What must stay the same while a program shrinks."""
        return self.kind, self.what.partition(" ")[0] if self.kind in (
            "raises",
            "silent",
            "cure",
        ) else self.what.partition(":")[0]


@dataclass(slots=True)
class Compared:
    """What came of one program. `facts` and `vague` count facts by name, `refusals` are the lines at which torch raised
    in each run that came by, with the words of a rule, and whether that was reported; `events` are the types of events
    that were heard."""

    text: str
    disagreements: list[Disagreement] = field(default_factory=list)
    facts: Counter[str] = field(default_factory=Counter)
    vague: Counter[str] = field(default_factory=Counter)
    refusals: Counter[tuple[str, bool]] = field(default_factory=Counter)
    missed: list[tuple[int, str]] = field(default_factory=list)
    events: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    vague_after: Counter[tuple[str, str]] = field(default_factory=Counter)
    """What facts are vague of, by name and by what made the value."""
    silent: Held = field(default_factory=Held)
    cured: Cured = field(default_factory=Cured)


def compare(text: str, rules: Sequence[Rule], sayings: Sequence[str]) -> Compared:
    """Run a program on both sides. `sayings` are the words of errors that rules speak of."""
    out = Compared(text)
    seen = watched(text)
    if seen.broken:
        return out
    try:
        known, findings = judged(text, rules, out.events)
    except Exception as error:
        out.disagreements.append(Disagreement("crash", 0, f"{type(error).__name__}: {error}"))
        return out
    out.found = Counter(finding.code for finding in findings)
    out.disagreements += _facts(seen, known, out)
    out.disagreements += _raising(text, seen, findings)
    _refusals(seen, findings, rules, sayings, out)
    out.silent = held(text, findings, rules)
    out.disagreements += (Disagreement("silent", row, what) for row, what in out.silent.contradictions)
    out.cured = cured(text, findings, lambda fixed: judged(fixed, rules)[1])
    out.disagreements += (Disagreement("cure", 0, f"{code} {why}") for code, why in out.cured.failed)
    return out


# ---- torch


def watched(text: str, runs: int = RUNS) -> Seen:
    """What torch does with a program, in several runs that differ in chance."""
    seen = Seen()
    code = compile(text, FILE, "exec", dont_inherit=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(runs):
            _run(code, number, seen)
            if "random.random()" not in text:
                break
    return seen


def _run(code: CodeType, number: int, seen: Seen) -> None:
    started, refused = set[int](), set[int]()

    def reveal(*values: Any) -> None:
        row = sys._getframe(1).f_lineno
        for position, value in enumerate(values):
            if isinstance(value, Exception):
                note(value)
            else:
                seen.had.setdefault((row, position), []).append(real(value, diary))

    def note(error: BaseException) -> None:
        seen.broken |= isinstance(error, NameError)
        rows = []
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == FILE:
                rows.append(trace.tb_lineno)
            trace = trace.tb_next
        if rows:
            seen.raised.setdefault(rows[-1], []).append(str(error))
            refused.add(rows[-1])

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != FILE:
            return None
        if event == "line":
            seen.started[frame.f_lineno] += 1
            started.add(frame.f_lineno)
        return trace

    random.seed(number)
    torch.manual_seed(number)
    seen.runs += 1
    names = {"__name__": "__main__", "reveal": reveal}
    diary: Diary
    with kept() as diary:
        sys.settrace(trace)
        try:
            exec(code, names)  # programs of our own
        except Exception as error:
            sys.settrace(None)
            note(error)
        finally:
            sys.settrace(None)
            torch.set_grad_enabled(True)
            names.clear()
            seen.spared |= started - refused


# ---- gradlint


def judged(
    text: str, rules: Sequence[Rule], events: Counter[str] | None = None
) -> tuple[dict[tuple[int, int], Thing], tuple[Finding, ...]]:
    """What gradlint knows at each reveal, joined over every time it comes by, and the findings shown by default."""
    things: dict[Any, list[Thing]] = {}
    asking = Rule("XXX001", "reveal", "{index}", effect="no effect")

    @asking.on(Called, REVEAL)
    def check(event: Called) -> Findings:
        before = things.get(event.node)
        things[event.node] = [
            new if before is None else both_of(before[number], new) for number, new in enumerate(event.args)
        ]
        yield asking.at(event.node, index=list(things).index(event.node))

    def listen(event: Event) -> None:
        if events is not None:
            events[type(event).__name__] += 1

    found = linter.analyse(text, [asking, *rules], packs=known_here(), listen=listen).findings
    values = list(things.values())
    known: dict[tuple[int, int], Thing] = {}
    for finding in found:
        if finding.code == asking.code:
            for position, thing in enumerate(values[int(finding.message)]):
                known[finding.place.row, position] = thing
    own = [finding for finding in found if finding.code != asking.code]
    return known, linter.shown(own, rules, Confidence.LIKELY)


# ---- what disagrees


def _facts(seen: Seen, known: dict[tuple[int, int], Thing], out: Compared) -> Iterator[Disagreement]:
    for (row, position), had in seen.had.items():
        if (row, position) not in known:
            yield Disagreement("fact", row, "place: gradlint never comes by")
            continue
        thing = known[row, position]
        for one in had:
            faults = list(excluded(thing, one))
            if faults:
                name = faults[0].partition(" ")[0]
                yield Disagreement("fact", row, f"{name}: value {position} of the reveal: {'; '.join(faults)}")
                break
        _count(thing, had, out)


def _count(thing: Thing, had: list[dict[str, Any]], out: Compared) -> None:
    """How many facts of what torch always had the same gradlint knows no better than that they may be either."""
    options = thing.values if isinstance(thing, OneOf) else (thing,)
    for name in FACTS:
        real_facts = {one[name] for one in had if isinstance(one.get(name), Fact)}
        if len(real_facts) == 1 and all(one["is"] == "Tensor" for one in had):
            out.facts[name] += 1
            known = [getattr(option, name) for option in options if isinstance(option, Tensor)]
            if len(known) < len(options) or len(set(known)) != 1 or len(known[0].answers()) != 1 or known[0].is_unsure:
                out.vague[name] += 1
                made = {option.made or "?" if isinstance(option, Tensor) else "not a tensor" for option in options}
                out.vague_after[name, " or ".join(sorted(made))] += 1


def _raising(text: str, seen: Seen, findings: Sequence[Finding]) -> Iterator[Disagreement]:
    """Findings that say that a line raises, on lines that were run and never did.

    What is said of the second time round is no disagreement where chance ended each loop after the first."""
    said = [finding for finding in findings if finding.consequence == RAISES]
    never = [one for one in said if seen.started[one.place.row] and one.place.row not in seen.raised]
    raised = watched(text, MORE_RUNS).raised if never else {}
    for finding in never:
        row = finding.place.row
        if row not in raised:
            yield Disagreement("raises", row, f"{finding.code} {finding.message}")


def _refusals(
    seen: Seen, findings: Sequence[Finding], rules: Sequence[Rule], sayings: Sequence[str], out: Compared
) -> None:
    reported = {finding.place.row for finding in findings}
    for row, errors in seen.raised.items():
        saying = next((words for words in sayings if words in errors[0]), None)
        if saying is not None and row not in seen.spared:
            out.refusals[saying, row in reported] += 1
            if row not in reported:
                out.missed.append((row, errors[0]))
