"""Traces: what gradlint knows line by line, what happens there and what is reported: for those who ask why, or why
not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradlint import kinds, linter, showing, source, texts
from gradlint.catalogue import Listed
from gradlint.collecting import few_collections
from gradlint.config import BadConfig
from gradlint.domain import NO, YES, Truth
from gradlint.engine import Engine
from gradlint.events import LoopFinished
from gradlint.files import displayed
from gradlint.finding import Finding, Place
from gradlint.frozen import frozen
from gradlint.interpreter import Trace
from gradlint.interpreter.engine.tracing import Called, Entry, Happened, Meant, Ran, Stopped, outline
from gradlint.knowledge.pack_index import NO_PACKS, Packs
from gradlint.planning import read
from gradlint.project import ProjectView
from gradlint.results import run_as_it_stands, unreadable
from gradlint.rule import Rule
from gradlint.run import Refused
from gradlint.selection import UnknownRule
from gradlint.settings import Request, Settings
from gradlint.suppression import unsuppressed
from gradlint.versions import UnknownVersion

MOST_CALLERS = 3
"""The most calls, one in another, that tell the runs of a line apart."""
MOST_VISITS = 50_000
"""The most runs of functions that are looked at."""


@frozen()
class Said:
    """Something that holds at a line, and where it does (nothing: whenever the line is run)."""

    text: str
    where: tuple[str, ...] = ()


@frozen()
class Fact:
    """Knowledge of a name at a line: what it held before (nothing: it was bound there) and afterwards."""

    name: str
    before: str
    after: str
    where: tuple[str, ...] = ()


@frozen()
class Heard:
    """An event at a line: its name and main fields, and the codes of the rules that heard it."""

    name: str
    fields: tuple[tuple[str, str], ...]
    rules: tuple[str, ...]
    where: tuple[str, ...] = ()


@frozen()
class Judged:
    """A finding, and why it is not reported (nothing: it is)."""

    finding: Finding
    unreported: str = ""


@frozen()
class Line:
    """A line of a file: `runs` says of the head of a function where its runs come from; `unrun`: there is a statement
    that never runs."""

    row: int
    text: str
    runs: tuple[str, ...] = ()
    unrun: bool = False
    modes: tuple[Said, ...] = ()
    facts: tuple[Fact, ...] = ()
    events: tuple[Heard, ...] = ()
    bounds: tuple[Said, ...] = ()
    findings: tuple[Judged, ...] = ()


@frozen()
class Traced:
    """The trace: lines by the paths of their files, the linted one first, and the `row` that was asked for; or the
    finding that says why it could not be read."""

    path: str
    files: tuple[tuple[str, tuple[Line, ...]], ...] = ()
    unreadable: Finding | None = None
    row: int | None = None


LOCATION = re.compile(r":(?P<row>\d++)(?::\d*+)?:?\Z")
"""The end of a place as reports name them, behind the file; a column is not looked at."""


def location(word: str) -> tuple[str, int | None]:
    """The file and the row that a word names."""
    found = LOCATION.search(word)
    if not found or not found.start() or os.path.exists(word):
        return word, None
    return word[: found.start()], int(found["row"])


@few_collections()
def trace(word: str, request: Request, rules: Sequence[Rule], packs: Packs = NO_PACKS) -> Traced:
    """Trace the file that a word names, or one line of it and what is run from there. Raises `Refused`."""
    path, row = location(word)
    file = os.path.abspath(path)
    if not os.path.exists(file):
        raise Refused(f"{path}: no such file")
    if os.path.isdir(file):
        raise Refused(f"{path}: is a folder; name one file")
    if kinds.is_mapped(file):
        raise Refused(f"{path}: only programs are traced; write its Python into a file of its own")
    try:
        settings, engine = Settings(request, tuple(map(Listed.of, rules))), Engine(rules, packs)
        codes, known = settings.codes(file), engine.packs(settings.known(file))
        chosen = [rule for rule in rules if rule.code in codes]
    except (BadConfig, UnknownRule, UnknownVersion) as error:
        raise Refused(str(error)) from error
    data = read(file)
    if isinstance(data, Finding):
        return Traced(displayed(file), unreadable=data)
    try:
        text = texts.decode(data)
        noted, project = Trace(), engine.project.at(file)
        analysis = linter.analyse(text, rules, packs=known, project=project, watch=linter.Watch(trace=noted))
        count = len(_rows(text))
        if row is not None and not 0 < row <= count:
            raise Refused(f"{path}: there is no line {row}; the file has {count}")
        reading = _Reading(noted, text, project, rules, row)
        judged = _judged(text, analysis.findings, rules, chosen, settings.min_confidence(file), project)
        return Traced(displayed(file), reading.files(displayed(file), judged), row=row)
    except texts.Unreadable as error:
        return Traced(displayed(file), unreadable=unreadable(error.message, error.row, error.column))


def _rows(text: str) -> list[str]:
    """The rows of a text, without the empty one behind its last line break."""
    rows = list(texts.rows(text))
    return rows[:-1] if rows and not rows[-1] else rows


def _judged(
    text: str,
    findings: Iterable[Finding],
    rules: Sequence[Rule],
    chosen: Sequence[Rule],
    least: Any,
    project: ProjectView,
) -> list[Judged]:
    """All findings, each with the first reason for which it is not reported."""
    kept = tuple(findings)
    steps = (
        ("the rule is not selected", lambda f: tuple(one for one in f if one.code in {rule.code for rule in chosen})),
        (f"less than {least} is not reported", lambda f: tuple(one for one in f if one.confidence <= least)),
        ("the rule reports it once at this place", showing.one_at_each_place),
        ("", lambda f: showing.shown(f, chosen, least, project.path)),
        ("another file is generated from this one", lambda f: run_as_it_stands(f, project)),
        ("a comment silences it", lambda f: unsuppressed(text, f)),
    )
    out: list[Judged] = []
    for why, passing in steps:
        passed = passing(kept)
        left = set(passed) if why else {_where(one) for one in passed}  # what speaks for others has more notes
        gone = [one for one in kept if (one if why else _where(one)) not in left]
        out += [Judged(one, why or _yielding(one, kept, chosen, project.path)) for one in gone]
        kept = passed
    return out + [Judged(one) for one in kept]


def _where(finding: Finding) -> tuple[str, str, Place]:
    return finding.code, finding.path, finding.place


def _yielding(finding: Finding, kept: Iterable[Finding], rules: Sequence[Rule], here: str) -> str:
    """Return the other finding about the same mistake to which one yields."""
    to = next((rule.yields_to for rule in rules if rule.code == finding.code), ())
    other = next(one for one in kept if one.code in to and showing.same_mistake(finding, one, here))
    return f"{other.code} at line {other.place.row} speaks of the same mistake"


# ---- from what was noted to lines


@dataclass(frozen=True, slots=True, order=True)
class _Context:
    """The context of a run of a line: its callers, the nearest first, and the rounds of a loop."""

    callers: tuple[str, ...]
    round: str


ALONE, CALLED = "on its own", "called at "
ROUNDS = {NO: "first round", YES: "later rounds"}
Contexts = dict[_Context, None]


@dataclass(slots=True)
class _Row:
    """The notes of a row, each with the contexts in which it was: `contexts` are all, of statements, and of what the
    heads of compound ones bind for their bodies (`inside`)."""

    contexts: Contexts = field(default_factory=dict)
    inside: Contexts = field(default_factory=dict)
    runs: Contexts = field(default_factory=dict)
    modes: dict[str, Contexts] = field(default_factory=dict)
    facts: dict[tuple[str, str, str], Contexts] = field(default_factory=dict)
    events: dict[tuple[str, tuple[tuple[str, str], ...], tuple[str, ...]], Contexts] = field(default_factory=dict)
    bounds: dict[str, Contexts] = field(default_factory=dict)


_Stack = tuple[tuple[int, str], ...]
"""The functions that run, by the identity of their syntax, and where each was called; the innermost first."""


class _Reading:
    """Sorts what a trace noted by rows; if one `row` is asked for, what is run from there alone."""

    def __init__(self, noted: Trace, text: str, project: ProjectView, rules: Sequence[Rule], row: int | None) -> None:
        self.noted, self.project, self.rules, self.asked = noted, project, rules, row
        self.texts = {path: project.project.text(path) or "" for path in noted.trees} | {OWN: text}
        self.places: dict[Any, tuple[str, Place]] = {}
        self.statements: dict[str, list[tuple[Any, Place, Any]]] = {}
        self.function_at: dict[tuple[str, int], int] = {}
        nodes = list(_nodes(noted))
        for path, tree in noted.trees.items():
            self._find_places(path, tree, nodes)
        self.wanted = None if row is None else self._rows_of_statement(row)
        self.rows: dict[tuple[str, int], _Row] = {}
        self.ran: set[Any] = set()
        self.visited: set[tuple[int, _Stack, bool, Truth | None]] = set()
        self._walk(noted.entries, (), row is None)
        self._walk(noted.imported, (), row is None)

    def _find_places(self, path: str, tree: Any, nodes: list[Any]) -> None:
        """Find the places of what was noted in a file, and its statements."""
        outlined = list(outline(tree))
        try:
            placed = source.placed(tree, self.texts[path]).of([*(node for node, _ in outlined), *nodes])
        except texts.Unreadable:
            if path == OWN:
                raise
            placed = {}  # nested so deep that nobody can say where anything stands
        self.places |= {node: (path, place) for node, place in placed.items()}
        self.statements[path] = [(node, placed[node], function) for node, function in outlined if node in placed]
        for _, place, function in self.statements[path]:
            for row in range(place.row, place.end_row + 1):
                self.function_at[path, row] = id(function)

    def _rows_of_statement(self, row: int) -> range:
        """The rows of the innermost statement at a row."""
        rows = range(row, row + 1)
        for _, place, _ in self.statements[OWN]:
            if place.row <= row <= place.end_row:
                rows = range(place.row, place.end_row + 1)
        inside = [place.row for _, place, _ in self.statements[OWN] if place.row > row and place.row in rows]
        return range(rows.start, min(inside, default=rows.stop))

    # ---- walking over what was noted

    def _walk(self, entries: list[Entry], stack: _Stack, active: bool, later: Truth | None = None) -> None:
        key = (id(entries), stack[:MOST_CALLERS], active, later)
        if key in self.visited or len(self.visited) > MOST_VISITS:
            return
        self.visited.add(key)
        for entry in entries:
            if isinstance(entry, Called):
                here = self.places.get(entry.node)
                self.ran.add(entry.function.node)
                caller = (id(entry.function.node), self._called_at(entry))
                again = entry.later if later is None else later
                self._walk(entry.entries, (caller, *stack), active or self._is_wanted(here), again)
            elif (here := self.places.get(entry.node)) is not None and (active or self._is_wanted(here)):
                self._note(here, entry, stack, later)

    def _is_wanted(self, here: tuple[str, Place] | None) -> bool:
        return self.wanted is not None and here is not None and here[0] == OWN and here[1].row in self.wanted

    def _called_at(self, entry: Called) -> str:
        here, there = self.places.get(entry.node), self.places.get(entry.function.node)
        if entry.node is None or here is None:
            return ALONE if entry.node is None else ""
        same = there is not None and there[0] == here[0]
        return f"line {here[1].row}" if same else f"{self.shown(here[0])}:{here[1].row}"

    def _note(
        self, here: tuple[str, Place], entry: Ran | Happened | Meant | Stopped, stack: _Stack, later: Truth | None
    ) -> None:
        path, place = here
        row = self.rows.setdefault((path, place.row), _Row())
        round_ = ROUNDS.get(entry.later if later is None else later, "some round")
        context = _Context(self._callers(path, place.row, entry, stack), round_)
        if not isinstance(entry, Ran) or entry.known or not entry.head:  # what is defined is not yet run
            (row.inside if isinstance(entry, Ran) and entry.inside else row.contexts)[context] = None
        if isinstance(entry, Ran):
            self.ran.add(entry.node)
            if entry.inside and stack and stack[0][0] == id(entry.node):
                row.runs[context] = None
            if (mode := _mode(*entry.modes)) and not entry.inside:
                row.modes.setdefault(mode, {})[context] = None
            for known in entry.known:
                row.facts.setdefault((known.name, known.before, known.after), {})[context] = None
        elif isinstance(entry, Meant):
            row.modes.setdefault(f"meant for {entry.phase} by {entry.sign}", {})[context] = None
        elif isinstance(entry, Happened):
            event = (type(entry.event).__name__, entry.fields, self._hearing(entry))
            row.events.setdefault(event, {})[context] = None
        else:
            row.bounds.setdefault(entry.bound, {})[context] = None

    def _callers(self, path: str, row: int, entry: Ran | Happened | Meant | Stopped, stack: _Stack) -> tuple[str, ...]:
        """Return the callers of the function in which a row stands; a block runs inside its context manager."""
        begins = isinstance(entry, Meant) or (isinstance(entry, Ran) and entry.inside)
        function = id(entry.node) if begins else self.function_at.get((path, row))
        while stack and stack[0][0] != function and any(one == function for one, _ in stack):
            stack = stack[1:]
        if stack and function == id(None):
            return ()
        return tuple(caller for _, caller in stack[:MOST_CALLERS] if caller)

    def _hearing(self, entry: Happened) -> tuple[str, ...]:
        """The rules that heard an event: none, of one in another file."""
        if self.places[entry.node][0] != OWN:
            return ()
        event = entry.event
        return tuple(
            rule.code
            for rule in self.rules
            if any(type(event) is kind and (not keys or event.key in keys) for kind, keys, _ in rule.checks)
        )

    # ---- the lines

    def shown(self, path: str) -> str:
        """Return the name of a file in reports."""
        return displayed(path or self.project.path)

    def files(self, path: str, judged: Sequence[Judged]) -> tuple[tuple[str, tuple[Line, ...]], ...]:
        """All files that something was noted of, and their lines."""
        files = [(path, tuple(self._lines(OWN, judged)))]
        for other in sorted(path for path in self.noted.trees if path != OWN):
            lines = tuple(self._lines(other, ()))
            if lines:
                files.append((self.shown(other), lines))
        return tuple(files)

    def _lines(self, path: str, judged: Sequence[Judged]) -> Iterator[Line]:
        unrun = {
            place.row
            for node, place, function in self.statements[path]
            if node not in self.ran and (function is None or function in self.ran)
        }
        for number, text in enumerate(_rows(self.texts[path]), 1):
            row = self.rows.get((path, number))
            found = tuple(one for one in judged if one.finding.place.row == number)
            if path == OWN and (self.wanted is None or number in self.wanted):
                yield _line(number, text, row, number in unrun, found)
            elif row is not None and (self.wanted is not None or _says_something(row)):
                yield _line(number, text, row, False, found)


OWN = ""
"""The name of the linted file in a trace."""


def _says_something(row: _Row) -> bool:
    """Return whether more is to be said of a row of another file than that importing it runs it."""
    return bool(row.facts or row.events or row.inside) or any(context.callers for context in row.contexts)


def _nodes(noted: Trace) -> Iterator[Any]:
    """All syntax that something was noted of."""
    met: set[int] = set()
    waiting = [noted.entries, noted.imported]
    while waiting:
        entries = waiting.pop()
        if id(entries) in met:
            continue
        met.add(id(entries))
        for entry in entries:
            if entry.node is not None:
                yield entry.node
            if isinstance(entry, Called):
                yield entry.function.node
                waiting.append(entry.entries)


def _mode(grad: Truth, inference: Truth) -> str:
    """The modes in words, where they are not as they are from the start."""
    words = [] if grad is YES else ["gradients off"] if grad is NO else ["gradients on or off"]
    if inference is not NO:
        words.append("inference mode" if inference is YES else "perhaps inference mode")
    return ", ".join(words)


def _line(number: int, text: str, row: _Row | None, unrun: bool, judged: tuple[Judged, ...]) -> Line:
    if row is None:
        return Line(number, text, unrun=unrun, findings=judged)
    all_said = (*row.modes.values(), *row.facts.values(), *row.events.values(), *row.bounds.values())
    words = _Words(row, list(all_said))
    return Line(
        number,
        text,
        runs=words.runs(),
        unrun=unrun,
        modes=tuple(Said(mode, words.where(contexts)) for mode, contexts in row.modes.items()),
        facts=tuple(Fact(*fact, words.where(contexts)) for fact, contexts in row.facts.items()),
        events=tuple(
            Heard(*event, words.where(contexts, rounds=event[0] != LoopFinished.__name__))
            for event, contexts in row.events.items()
        ),
        bounds=tuple(Said(bound, words.where(contexts)) for bound, contexts in row.bounds.items()),
        findings=judged,
    )


class _Words:
    """Tells in words what sets some contexts of a row apart from the others: by as few calls, one in another, as do."""

    def __init__(self, row: _Row, parts: Sequence[Contexts]) -> None:
        self.row = row
        self.deep = next((deep for deep in range(1, MOST_CALLERS) if self._are_apart(parts, deep)), MOST_CALLERS)

    def _others(self, contexts: Contexts) -> list[_Context]:
        """The contexts of the same kind in which something else holds."""
        kind = self.row.contexts if any(one in self.row.contexts for one in contexts) else self.row.inside
        return [one for one in kind if one not in contexts]

    def _are_apart(self, parts: Sequence[Contexts], deep: int) -> bool:
        return all({_cut(one, deep) for one in part}.isdisjoint(_cut(one, deep) for one in self._others(part))
                   for part in parts)  # fmt: skip

    def runs(self) -> tuple[str, ...]:
        """Return the origins of the runs of a function."""
        return tuple(dict.fromkeys(_from(_cut(one, self.deep)) for one in self.row.runs))

    def where(self, contexts: Contexts, *, rounds: bool = True) -> tuple[str, ...]:
        """Return the contexts in which something holds, if not all. All `rounds` of a loop in one are in none."""
        callers = {one.callers for one in contexts}
        others = [one for one in self._others(contexts) if rounds or one.callers not in callers]
        if not others:
            return ()
        if {one.round for one in others}.isdisjoint(told := {one.round for one in contexts}):
            return tuple(sorted(told))
        if {one.callers for one in others}.isdisjoint(callers):
            return tuple(dict.fromkeys(_from(_cut(one, self.deep)) for one in contexts))
        cut = (_cut(one, self.deep) for one in contexts)
        return tuple(dict.fromkeys(f"{_from(one)}, {one.round}" if one.callers else one.round for one in cut))


def _cut(context: _Context, deep: int) -> _Context:
    return _Context(context.callers[:deep], context.round)


def _from(context: _Context) -> str:
    return ALONE if context.callers[:1] == (ALONE,) else CALLED + ", from ".join(context.callers)
