"""One program on both sides: what torch has, what gradlint says, and where they disagree."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import libcst as cst

from gradlint import linter, showing
from gradlint.disk import InMemory
from gradlint.domain import UNKNOWN, Belief, Fact, Object, OneOf, Tensor
from gradlint.events import Called, Event, ModuleFinished, Thing
from gradlint.finding import HERE, RAISED, RAISES, Confidence, Finding
from gradlint.frozen import frozen
from gradlint.interpreter.engine.cannot_raise import REVEAL
from gradlint.interpreter.engine.event_log import BOUND
from gradlint.interpreter.engine.steps import CALLS_LEFT_OUT
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.tree_walk import in_order
from gradlint.project import Project
from gradlint.proving import known_here
from gradlint.proving.surroundings import NotRestored
from gradlint.registry import rules
from gradlint.rule import Raises, Rule
from gradlint.testing.programs import MAIN, both_of, excluded
from tests.fuzz import revealing
from tests.fuzz.curing import Cured, cured
from tests.fuzz.exercising import Exercised
from tests.fuzz.silent import Held
from tests.fuzz.silent import held as held_against_runs
from tests.fuzz.watching import CHANCE, MORE_RUNS, Files, Seen, settled, watched

SILENT, CURE = "silent", "cure"
FACTS = ("dtype", "requires_grad", "leaf", "retains", "grad")


@frozen()
class Disagreement:
    """`kind`: "fact" (torch has what gradlint excludes), "raises" (a finding says that a line raises, and it ran),
    "silent" (a run shows the opposite of what a finding says), "cure" (a fix cures nothing), "crash" (gradlint fails),
    or "lost" (the program could not be run to where anything can be said of it)."""

    kind: str
    row: int
    what: str

    @property
    def sort(self) -> tuple[str, str]:
        """What must stay the same while a program shrinks."""
        return self.kind, self.what.partition(" " if self.kind in (RAISES, SILENT, CURE) else ":")[0]


@dataclass(slots=True)
class Compared:
    """What came of one program. `facts` and `vague` count facts by name, `refusals` are the lines at which torch raised
    in each run that came by, with the words of a rule, and whether that was reported; `missed` are the rows and words
    of those that were not. `warned` counts the findings that say that a line raises, on lines that were run. `ended`
    is what stopped the program."""

    text: str
    disagreements: list[Disagreement] = field(default_factory=list)
    facts: Counter[str] = field(default_factory=Counter)
    vague: Counter[str] = field(default_factory=Counter)
    refusals: Counter[tuple[str, bool]] = field(default_factory=Counter)
    missed: list[tuple[int, str]] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    warned: int = 0
    exercised: Exercised = field(default_factory=Exercised)
    vague_after: Counter[tuple[str, str]] = field(default_factory=Counter)
    """What facts are vague of, by name and by what made the value."""
    silent: Held = field(default_factory=Held)
    cured: Cured = field(default_factory=Cured)
    ended: str = ""
    idle: bool = False
    """Whether it says nothing: a name in it is not bound, or a library that it needs is not installed."""


def compare(
    text: str, files: Files = (), *, held: bool = False, unseen: Files = (), confidence: Confidence = Confidence.LIKELY
) -> Compared:
    """Run a program that reveals on both sides. `held`: what silent rules say is held against its runs as well;
    `unseen` are files that torch's side alone can import, `confidence` is how sure gradlint must be of what counts."""
    out = Compared(text)
    found = (*files, *unseen)
    try:
        seen = watched(text, found)
    except NotRestored as error:
        out.disagreements.append(Disagreement("lost", 0, f"not restored: {error}"))
        return out
    out.ended, out.idle = seen.ended, seen.broken
    if seen.broken:
        return out
    try:
        known, findings = judged(text, files, out.exercised.hear)
    except Exception as error:
        out.disagreements.append(Disagreement("crash", 0, f"{type(error).__name__}: {error}"))
        return out
    out.exercised.finish()
    known = {spot: thing if _is_known(thing, confidence) else UNKNOWN for spot, thing in known.items()}
    findings = tuple(finding for finding in findings if finding.confidence <= confidence)
    out.found = Counter(finding.code for finding in findings)
    out.disagreements += _facts(text, seen, known, out)
    out.disagreements += _raising(text, found, seen, findings, out)
    _refusals(text, seen, findings, out)
    if held:
        with settled(found):
            out.silent = held_against_runs(text, findings, known_rules())
            if not unseen:  # which may undo a cure
                out.cured = cured(text, findings, lambda fixed: judged(fixed)[1])
        out.disagreements += (Disagreement(SILENT, row, what) for row, what in out.silent.contradictions)
        out.disagreements += (Disagreement(CURE, 0, f"{code} {why}") for code, why in out.cured.failed)
    return out


@cache
def known_rules() -> tuple[Rule, ...]:
    """All rules that are installed."""
    return rules()


@cache
def sayings() -> tuple[str, ...]:
    """The words of all errors that rules speak of, longest first."""
    told = (one for rule in known_rules() for one in (rule.consequence, *(each.shows for each in rule.evidence)))
    return tuple(
        sorted({one.saying for one in told if isinstance(one, Raises)}, key=lambda words: (-len(words), words))
    )


# ---- gradlint


def judged(
    text: str, files: Files = (), listen: Callable[[Event], None] = lambda event: None
) -> tuple[dict[tuple[int, int], Thing], tuple[Finding, ...]]:
    """What gradlint knows at each reveal, joined over every time it comes by, and the findings shown by default."""
    things: dict[Any, tuple[Thing, ...]] = {}
    rows: dict[Any, int] = {}

    def hear(event: Event) -> None:
        listen(event)
        if isinstance(event, Called) and event.path == REVEAL:
            before = things.get(event.node, event.args)
            things[event.node] = tuple(both_of(*pair) for pair in zip(before, event.args, strict=False))
        elif isinstance(event, ModuleFinished):
            rows.update(_reveals(text, event.node))

    project = Project(InMemory(dict(files))).at(MAIN) if files else None
    run = linter.analyse(text, known_rules(), packs=known_here(), watch=linter.Watch(listen=hear), project=project)
    known = {(rows[node], place): thing for node, shown in things.items() for place, thing in enumerate(shown)}
    if not {BOUND + bound for bound in CALLS_LEFT_OUT}.isdisjoint(dict(run.counts)):
        # what holds in all other calls says nothing of these
        known |= dict.fromkeys(_asked_in_functions(text), UNKNOWN)
    return known, showing.shown(run.findings, known_rules(), Confidence.LIKELY)


def _reveals(text: str, tree: Any) -> Iterator[tuple[Any, int]]:
    """The syntax of each reveal with its row: both come in the order of the text, and positions cost time."""
    spots = sorted((each.lineno, each.col_offset) for each in _calls_of_reveal(text))
    calls = [node for node in in_order(tree) if isinstance(node, cst.Call) and spelled(node.func) == revealing.REVEAL]
    yield from zip(calls, (row for row, _ in spots), strict=True)


def _calls_of_reveal(text: str) -> list[ast.Call]:
    calls = (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Call))
    return [each for each in calls if getattr(each.func, "id", "") == revealing.REVEAL]


def _asked_in_functions(text: str) -> Iterator[tuple[int, int]]:
    """Row and place of all that is asked for inside functions."""
    inner = _rows_of(text, ast.FunctionDef, ast.AsyncFunctionDef)
    for each in _calls_of_reveal(text):
        if each.lineno in inner:
            yield from ((each.lineno, place) for place in range(len(each.args)))


# ---- what disagrees


def _is_known(thing: Thing, confidence: Confidence) -> bool:
    """Whether gradlint is so sure of what a thing is."""
    options = thing.values if isinstance(thing, OneOf) else (thing,)
    weakest = Belief.ANNOTATED if confidence is Confidence.CERTAIN else Belief.FROM_NAME
    return all(getattr(option, "belief", Belief.PROVEN) <= weakest for option in options)


def _facts(text: str, seen: Seen, known: dict[tuple[int, int], Thing], out: Compared) -> Iterator[Disagreement]:
    looped = _rows_of(text, ast.For, ast.AsyncFor, ast.While)
    for (row, position), had in seen.had.items():
        where = ", inside a loop" if row in looped else ""
        if (row, position) not in known:
            if position == 0:
                yield Disagreement("fact", row, f"gradlint never comes by{where}:")
            continue
        thing = known[row, position]
        for one in had:
            faults = list(excluded(thing, one))
            if faults:
                yield Disagreement(
                    "fact", row, f"{_sort(thing, one, faults[0])}{where}: value {position} of the reveal"
                )
                break
        _count(thing, had, out)


def _sort(thing: Thing, one: dict[str, Any], fault: str) -> str:
    """A fault in words that do not depend on the program."""
    if isinstance(thing, Object) and one["is"] == type(thing).__name__:
        return fault
    return f"torch has a {one['is']}, gradlint says {type(thing).__name__}"


def _rows_of(text: str, *kinds: type[ast.stmt]) -> set[int]:
    """The rows inside statements of these kinds."""
    found = (each for each in ast.walk(ast.parse(text)) if isinstance(each, kinds))
    return {row for each in found for row in range(each.lineno, (each.end_lineno or each.lineno) + 1)}


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


def _raising(text: str, files: Files, seen: Seen, findings: Sequence[Finding], out: Compared) -> Iterator[Disagreement]:
    """Findings that say that a line raises, on lines that were run and never did.

    What is said of the second time round is no disagreement where chance ended each loop after the first.
    """
    first = _first_rows(text)
    said = [(row, one) for one in findings if (row := _raising_row(one)) is not None]
    said = [(row, one) for row, one in said if seen.started[row] or seen.started[first.get(row, 0)]]
    out.warned += len(said)
    raised = {first.get(row, row) for row in seen.raised}
    if any(first.get(row, row) not in raised for row, _ in said) and CHANCE in text:
        raised |= {first.get(row, row) for row in watched(text, files, MORE_RUNS).raised}
    for row, finding in said:
        if first.get(row, row) not in raised:
            yield Disagreement(RAISES, row, f"{finding.code} {finding.message}")


def _raising_row(finding: Finding) -> int | None:
    """Return the row that a finding says raises: its own, or that of a note."""
    if finding.consequence == RAISES:
        return finding.place.row
    return next((note.place.row for note in finding.notes if (note.text, note.path) == (RAISED, HERE)), None)


def _refusals(text: str, seen: Seen, findings: Sequence[Finding], out: Compared) -> None:
    first = _first_rows(text)
    rows = [row for one in findings for row in (one.place.row, _raising_row(one)) if row is not None]
    reported = {first.get(row, row) for row in rows}
    lines = text.splitlines()
    for row, errors in seen.raised.items():
        saying = next((words for words in sayings() if words in errors[0]), None)
        of_autograd = "NoneType" not in errors[0] or ".grad" in lines[row - 1]  # else the None is no gradient
        if saying is not None and of_autograd and row not in seen.spared:
            is_reported = first.get(row, row) in reported
            out.refusals[saying, is_reported] += 1
            if not is_reported:
                out.missed.append((row, saying))


def _first_rows(text: str) -> dict[int, int]:
    """The first row of the statement that each row belongs to, where it is another."""
    found: dict[int, int] = {}
    for statement in ast.walk(ast.parse(text)):
        if isinstance(statement, ast.stmt) and not hasattr(statement, "body") and not isinstance(statement, ast.Match):
            for row in range(statement.lineno + 1, (statement.end_lineno or statement.lineno) + 1):
                found[row] = statement.lineno
    return found
