"""The only door to the analysis, from text to findings.

`lint` is pure: it reads no files, no clock and no globals, and the same text among the same files gives the same
findings in the same order. Other files reach it through the `project` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gradlint import fixes, gate, source
from gradlint.domain import Syntax, Truth
from gradlint.events import Event, ModuleFinished
from gradlint.finding import Confidence, Finding, Fix, Place
from gradlint.frozen import frozen
from gradlint.interpreter import APART, Trace, interpret
from gradlint.knowledge.pack_index import NO_PACKS, Packs
from gradlint.knowledge.python.duck_typing_names import TORCH_WORDS
from gradlint.locating import Locations
from gradlint.rule import Check, Draft, Rule
from gradlint.showing import shown
from gradlint.source.receivers import receivers_of
from gradlint.versions import Version, of

if TYPE_CHECKING:
    from gradlint.project import ProjectView
    from gradlint.resolving import View


@frozen()
class Analysis:
    """All that a run over one text gives: its findings, and those in other files that it leads to (`elsewhere`).
    `unknown` are the expressions of which nothing could be said; `heard` the places at which each rule heard an event
    (or judged a story), by code and event; `counts` how much was run (functions, events, expressions, bounds hit);
    `unread` the files of the project that it imports and that could not be read, with the reason; `given_up` is where
    a run ended that would take too long."""

    findings: tuple[Finding, ...]
    elsewhere: tuple[Finding, ...] = ()
    unknown: tuple[Place, ...] = ()
    heard: tuple[tuple[str, str, Place], ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    given_up: Place | None = None


@dataclass(frozen=True, slots=True, order=True)
class Asked:
    """A place where something is asked for a name of autograd's vocabulary. `shape` is how it is written with the
    program's own names taken out, `origin` where the first of them comes from, `kind` what the interpreter takes it
    for: nothing where it does not know, None where it never came there."""

    place: Place
    shape: str
    origin: str
    kind: str | None


@frozen()
class Watch:
    """A watch on a run, for more than the rules find: `listen` hears every event before they do, and `trace` notes what
    is known at each statement, of other files as well. Only with `positions` are `unknown` and `heard` of the analysis
    filled: they cost time."""

    listen: Callable[[Event], None] | None = None
    trace: Trace | None = None
    positions: bool = False


UNWATCHED = Watch()


class _Hearing:
    """Hands events to the rules that subscribed to them and gathers what they yield, in one version of torch; notes
    what they heard if asked."""

    def __init__(self, rules: Sequence[Rule], watch: Watch, version: Version) -> None:
        self.listen, self.noting = watch.listen, watch.positions
        self.by_type: dict[type[Event], list[tuple[Rule, tuple[str, ...], Check]]] = {}
        self.drafts: dict[tuple[str, int], Draft] = {}
        self.behind: dict[tuple[str, int], tuple[Draft, Syntax]] = {}
        self.heard: dict[tuple[str, str, int], Any] = {}
        self.elsewhere: dict[Syntax, Event] = {}
        self.ways: dict[Syntax, dict[Syntax, Truth]] = {}
        self.told: dict[tuple[str, int], dict[Syntax, None]] = {}
        self.alike: dict[Syntax, list[Syntax]] = {}
        self.doubted = {rule.code: tuple(rule.doubts()) for rule in rules}
        for rule in of(rules, version):
            for kind, keys, check in rule.checks:
                self.by_type.setdefault(kind, []).append((rule, keys, check))

    def __call__(self, event: Event) -> None:
        if self.listen is not None:
            self.listen(event)
        if event.file:
            self.elsewhere.setdefault(event.node, event)
            for node in (event.node, *event.calls[1:]) if event.calls else ():
                self.ways.setdefault(node, {}).setdefault(event.calls[0], event.grad_mode)
        for caller, call, _ in event.alike if isinstance(event, ModuleFinished) else ():
            self.alike.setdefault(caller, []).append(call)
        for rule, keys, check in self.by_type.get(type(event), ()):
            if keys and event.key not in keys:
                continue
            if self.noting:
                for node in _judged(event):
                    self.heard.setdefault((rule.code, type(event).__name__, id(node)), node)
            for draft in check(event):
                raises = draft.effect.raises
                if not (event.expected and raises):
                    self._keep(draft.resting_on(event), event, behind=event.after_error and raises)

    def _keep(self, draft: Draft, event: Event, *, behind: bool) -> None:
        """One finding per rule and place: the first that is believed most, with the way to another file that led to
        it."""
        key = (draft.rule.code, id(draft.node))
        if event.calls:
            self.told.setdefault(key, {})[event.calls[0]] = None
        draft = draft.showing(*self.doubted.get(draft.rule.code, ()))
        if behind:
            self.behind.setdefault(key, (draft, event.node))
            return
        known = self.drafts.get(key)
        if known is None or draft.confidence < known.confidence:
            self.drafts[key] = draft
            if event.file and draft.node is event.node:
                self.elsewhere[event.node] = event

    def led_by(self, draft: Draft) -> list[Syntax]:
        """The calls in the linted file that lead to a finding in another: those at whose events it was made, or of one
        that a story tells those that lead to its place in the same grad mode as the first, and those alike."""
        if told := self.told.get((draft.rule.code, id(draft.node))):
            return [*told]
        ways = self.ways.get(draft.node, {})
        found = [way for way, mode in ways.items() if mode == next(iter(ways.values()))]
        return [*dict.fromkeys([*found, *(call for way in found for call in self.alike.get(way, ()))])]

    def found(self, come_by: Container[Syntax]) -> list[Draft]:
        """All findings; of those that raise behind a line that raises, those at places that are not `come_by`
        otherwise."""
        alone = {key: draft for key, (draft, node) in self.behind.items() if node not in come_by}
        return list((alone | self.drafts).values())


def _judged(event: Event) -> Iterable[Any]:
    """The places that hearing an event means having looked at: its own, and for a story all that happened in it."""
    yield event.node
    for part in getattr(event, "story", ()):
        yield part.node
    for run in getattr(event, "runs", ()):
        for part in run.story:
            yield part.node


def analyse(
    text: str,
    rules: Sequence[Rule],
    *,
    packs: Packs = NO_PACKS,
    project: ProjectView | None = None,
    watch: Watch = UNWATCHED,
) -> Analysis:
    """Run the program in `text` abstractly under these rules.

    `packs` are what is known of a version of torch and of other libraries; rules that do not hold in that version are
    left out. What the text imports is looked for in `project`, as the file that has
    it sees it (None: nowhere). Findings of every confidence are given, sorted by place, those that yield to others as
    well (see `shown`). Raises `texts.Unreadable` for text that is no Python.
    """
    module, found = _read(text, project)
    hearing = _Hearing(rules, watch, packs.torch.version)
    run = interpret(module, hearing, packs=packs, project=project, found=found, trace=watch.trace)
    drafts = hearing.found(run.log.come_by)
    nodes: list[Any] = [node for draft in drafts for node in (draft.node, *(at for at, _ in draft.notes))]
    if run.given_up is not None:
        nodes.append(run.given_up)
    if watch.positions:
        nodes += [*run.unknown, *hearing.heard.values()]
    placed = source.placed(module, text) if nodes else None
    places = placed.of(nodes) if placed else {}
    locations = Locations(placed, run, hearing.elsewhere, hearing.led_by, project)
    cured = _cured(drafts, module, placed, text)
    findings = [one for draft in drafts if (one := locations.finding(draft, cured.get(draft))) is not None]
    return Analysis(
        tuple(sorted([one for one in findings if not one.path], key=lambda f: (f.place, f.code))),
        tuple(sorted([one for one in findings if one.path], key=lambda f: (f.path, f.place, f.code))),
        tuple(sorted(places[node] for node in run.unknown)) if watch.positions else (),
        tuple(sorted((code, name, places[node]) for (code, name, _), node in hearing.heard.items() if node in places))
        if watch.positions
        else (),
        tuple(sorted(run.log.counts.items())),
        tuple(sorted(run.neighbours.unread.items())),
        None if run.given_up is None else places.get(run.given_up, Place(1, 1, 1, 1)),
    )


def _read(text: str, project: ProjectView | None) -> tuple[Any, Any]:
    """The tree of a text and, where the project has looked at it, what there is in it."""
    if project is None:
        return source.parse(text), None
    program = project.program(text)
    return program.tree, program.scan


@frozen()
class Survey:
    """The analysis's knowledge of a text: all that is `asked` for names of autograd's vocabulary, in order, how much
    was run (`counts`, see `Analysis`), and where rules were `undecided`, by code."""

    asked: tuple[Asked, ...]
    counts: tuple[tuple[str, int], ...]
    undecided: tuple[tuple[str, Place], ...] = ()


Undecided = Callable[[Sequence[Event]], Sequence[tuple[str, Syntax]]]
"""At which of the places where something happens rules are undecided, by code."""


def surveyed(
    text: str, undecided: Undecided = lambda events: (), *, packs: Packs = NO_PACKS, project: ProjectView | None = None
) -> Survey:
    """Look at what is known of the program, and at where rules are undecided.

    Raises `texts.Unreadable` for text that is no Python.
    """
    module, found_in_it = _read(text, project)
    events: list[Event] = []
    run = interpret(module, events.append, packs=packs, project=project, found=found_in_it)
    found = [one for one in receivers_of(module) if run.receivers.get(one.node) != APART]
    open_questions = undecided(events)
    nodes = [*(one.node for one in found), *(node for _, node in open_questions)]
    places = source.placed(module, text).of(nodes) if nodes else {}
    return Survey(
        tuple(sorted(Asked(places[one.node], one.shape, one.origin, run.receivers.get(one.node)) for one in found)),
        tuple(sorted(run.log.counts.items())),
        tuple(sorted((code, places[node]) for code, node in open_questions if node in places)),
    )


def may_find(text: str, rules: Sequence[Rule], *, packs: Packs = NO_PACKS, project: View | None = None) -> bool:
    """Return whether one of the rules can find something in a text (see `gate.may_find`)."""
    return gate.may_find(text, gate.needed(rules, (*TORCH_WORDS, *sorted(packs.on_torch))), project)


def lint(
    text: str,
    rules: Sequence[Rule],
    *,
    packs: Packs = NO_PACKS,
    project: ProjectView | None = None,
    min_confidence: Confidence = Confidence.LIKELY,
) -> tuple[Finding, ...]:
    """The findings of at least this confidence."""
    return shown(analyse(text, rules, packs=packs, project=project).findings, rules, min_confidence)


def _cured(drafts: Sequence[Draft], module: Any, placed: source.Places | None, text: str) -> dict[Draft, Fix | None]:
    """The fixes of drafts that change the linted file alone."""
    if placed is None:
        return {}
    edited = {draft: _edited(draft) for draft in drafts}
    here = placed.of([node for nodes in edited.values() for node in nodes])
    curable = [draft for draft, nodes in edited.items() if nodes and all(node in here for node in nodes)]
    if not curable:
        return {}
    layout, rows = source.layout(module, placed, list(here)), fixes.Rows(text)
    return {draft: fixes.fix_of(draft, layout, rows) for draft in curable}


def _edited(draft: Draft) -> list[Any]:
    """The syntax that the cures of a draft change."""
    edits = [edit for cure in draft.cures for edit in cure.edits]
    return [node for edit in edits for node in (edit.node, edit.to) if node is not None]
