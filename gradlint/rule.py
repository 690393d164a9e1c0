"""The whole API that a rule needs: hear events, yield findings, show evidence.

A rule is one file. Its module docstring is its page, `rule` is the `Rule`, `consequence` what torch
shows where the mistake is made. Checks are functions from an event to findings; examples are
ordinary functions that gradlint reads, torch runs and the documentation prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar, overload

from gradlint.domain import Belief, Cause, Syntax, Tensor
from gradlint.domain.provenance import WriteKind
from gradlint.events import Event, ModuleBuilt, ModuleFinished, Run, WrittenInPlace
from gradlint.finding import RAISED
from gradlint.finding import Confidence as Confidence
from gradlint.finding import Degrees as Degrees
from gradlint.finding import Effect as Effect
from gradlint.finding import Question as Question
from gradlint.finding import Sign as Sign
from gradlint.frozen import frozen
from gradlint.knowledge.python.duck_typing_names import words as words
from gradlint.versions import Version, told

CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE

EventT = TypeVar("EventT", bound=Event)
Example = Callable[..., Any]

# ---- consequences: what torch is seen to do


@dataclass(frozen=True)
class Raises:
    """Running the example raises this error, with these words in its message, at the marked line; `later`: at the line
    that a note of the finding says raises."""

    error: type[BaseException]
    saying: str
    later: bool = False


@dataclass(frozen=True)
class Warns:
    """Running the example warns with these words."""

    saying: str


@dataclass(frozen=True)
class Grows:
    """A consequence: the objects that the example keeps alive grow with its `steps`: called with 2, 4 and 8 of them, it
    returns objects whose graphs are counted. A cure keeps it constant."""


Measurement = Callable[..., bool]
"""A function of what the example returned, or of `(returned, cured)`: whether the consequence shows."""

Consequence = Raises | Warns | Grows | Measurement

# ---- how often it was worth saying


@frozen()
class Worth:
    """The readers' judgement of a rule's findings in real code: how many of them were `wanted`, how many were not, and
    in how many `projects` they stand."""

    wanted: int
    unwanted: int
    projects: int

    FINDINGS: ClassVar[int] = 20
    """The fewest findings that say something of a rule."""
    PROJECTS: ClassVar[int] = 5
    """The fewest projects of its findings."""
    LEAST: ClassVar[int] = 95
    """The least number of 100 findings that are wanted of a rule that is believed."""

    @property
    def judged(self) -> int:
        return self.wanted + self.unwanted

    @property
    def is_measured(self) -> bool:
        """Return whether enough was judged to say something of the rule."""
        return self.judged >= self.FINDINGS and self.projects >= self.PROJECTS

    @property
    def is_too_low(self) -> bool:
        """Return whether enough was judged to say that the rule's findings are possible at most."""
        return self.is_measured and 100 * self.wanted < self.LEAST * self.judged


# ---- what a check yields


@frozen()
class Edit:
    """A change of text at a piece of syntax; `how` says which, as the `HOW` below does.

    A statement is the innermost one that holds `node`; what is put before, after or over it is indented like it.
    """

    how: str
    node: Syntax
    text: str = ""
    after: str = ""
    to: Syntax = None

    HOW: ClassVar[dict[str, str]] = {
        "replace": "`text` stands in place of the expression, or of the statement",
        "wrap": "`text` stands before the expression and `after` behind it",
        "rename": "`text` stands in place of the last name of the expression: the attribute, or what is called",
        "insert before": "the line `text` stands before the statement",
        "insert after": "the line `text` stands after the statement",
        "end with": "the line `text` stands behind the statement, the last of its function",
        "put under": "the statement becomes the body of the line `text`",
        "put alone under": "the same, of a statement that is nothing else than `node`",
        "put rest under": "the line `text` stands in place of the statement, and what follows in its block is its body",
        "move before": "the statement goes before that of `to`, which stands in the same block",
        "move out": "the statement, the last of the `with` that `to` heads alone, goes behind that",
        "unwrap": "what the `with` holds that `node` heads alone stands in its place; it is all that its function does",
        "move behind": "the statement goes behind the one of its block that holds `to`",
        "give to": "of the assignment its value is left, between `text` and `after`",
        "delete": "the statement, which does nothing else, is taken away; if `to` is given, only where that comes next",
        "set keyword": "the call is given `text=after`, in place of the argument of this name if it has one",
        "drop keyword": "the call is no longer given the argument named `text`",
    }


@frozen()
class Cure:
    """Edits that together mend what is found; see `Draft.fix`."""

    edits: tuple[Edit, ...]
    safety: str
    imports: tuple[str, ...]


@frozen()
class Draft:
    """A finding whose places are still syntax."""

    rule: Rule
    node: Syntax
    message: str
    effect: Effect
    signs: tuple[Sign, ...] = ()
    help: str = ""
    notes: tuple[tuple[Syntax, str], ...] = ()
    cures: tuple[Cure, ...] = ()
    is_of_text: bool = False

    @property
    def confidence(self) -> Confidence:
        """Return its confidence: that of the weakest of its signs."""
        return Degrees.of(self.signs).weakest

    def note(self, node: Syntax, text: str) -> Draft:
        """Point at another place that contributed."""
        return replace(self, notes=(*self.notes, (node, text)))

    def raising(self, node: Syntax) -> Draft:
        """Point at the line that raises on account of this one."""
        return self.note(node, RAISED)

    def marked(self, marks: Iterable[Cause], **texts: str) -> Draft:
        """Point at every mark whose kind has a text here, at no place twice and not where the finding stands."""
        noted = {self.node: "", **dict(self.notes)}
        for mark in marks:
            if mark.kind.value in texts:
                noted.setdefault(mark.node, texts[mark.kind.value])
        return replace(self, notes=tuple((node, text) for node, text in noted.items() if node is not self.node))

    def doing(self, effect: str) -> Draft:
        """Set the effect of this mistake, where it is not that of the rule's mistakes in general."""
        return replace(self, effect=Effect(effect))

    def advising(self, help: str) -> Draft:
        """Set the help against this mistake, where it is not that against the rule's mistakes in general."""
        return replace(self, help=help)

    def lowered(
        self, confidence: Confidence, why: str = "as the rule judges it", question: Question = Question.MISTAKE
    ) -> Draft:
        """Believe the finding no further than this, for a reason; a finding is never raised."""
        return self if confidence is CERTAIN else self.showing(Sign(question, confidence, why))

    def of_text(self) -> Draft:
        """Rest the finding on what the program says here, whatever the things are that it is said of."""
        return replace(self, is_of_text=True)

    def resting_on(self, *events: Event) -> Draft:
        """Believe the finding no further than the facts of these events."""
        if self.is_of_text:
            return self
        return self.showing(*(sign for event in events for sign in signs_of(event)))

    def showing(self, *signs: Sign) -> Draft:
        """Rest the finding on these signs as well."""
        return replace(self, signs=tuple(dict.fromkeys((*self.signs, *signs))))

    def fix(self, *edits: Edit, safety: str, imports: tuple[str, ...] = ()) -> Draft:
        """Offer a cure, if there are edits; of several the first counts that the layout of the text allows.

        `safety`: "safe" (same meaning or clearly intended), "unsafe" or "display".
        `imports` are modules that the new text calls by their names; those that the file does not import are imported.
        """
        return replace(self, cures=(*self.cures, Cure(edits, safety, imports))) if edits else self


Findings = Iterator[Draft]
Check = Callable[[Any], Findings]

_BELIEVED = {
    Belief.ANNOTATED: (CERTAIN, "taken for {} for how it is annotated"),
    Belief.UNTOUCHED: (LIKELY, "unseen code that had {} is taken to have left it alone"),
    Belief.FROM_USAGE: (LIKELY, "taken for {} for how it is used"),
    Belief.FROM_NAME: (POSSIBLE, "taken for {} for how it is called"),
}
_MODE = Sign(Question.TORCH, LIKELY, "gradients are taken to be on, whatever unseen callers and decorators do")
_UNMEASURED = Sign(Question.TORCH, POSSIBLE, "torch was not measured in a version where this is so")
_SWALLOWED = Sign(Question.MISTAKE, LIKELY, "a handler tells of errors here, and training goes on")
_BEHIND = Sign(Question.TORCH, CERTAIN, "a line before raises on a way that leads here")


def believed(event: Event) -> Confidence:
    """Return the confidence in the facts of an event (see `Draft.resting_on`)."""
    return Degrees.of(signs_of(event)).weakest


def signs_of(event: Event) -> Iterator[Sign]:
    """Yield the signs that the facts of an event rest on, where they are not proven."""
    things = [_first(getattr(event, name)) for name in event.believed_from]
    beliefs = [getattr(thing, "belief", Belief.PROVEN) for thing in things]
    yield from (_taken(*known) for known in zip(things, beliefs, strict=True) if known[1] in _BELIEVED)
    guessed = event.assumed_mode and event.depends_on_mode
    if guessed:
        yield _MODE
    explained = max(*beliefs, Belief.FROM_USAGE if guessed else Belief.PROVEN, Belief.PROVEN)
    if event.belief > explained:
        yield _UNMEASURED if event.belief is Belief.FROM_NAME else _taken(None, event.belief)
    if event.after_error:
        yield _BEHIND
    if event.swallowed:
        yield _SWALLOWED


def _first(shown: Any) -> Any:
    """The thing in a field of an event, of several the one that stands for all."""
    while type(shown) is tuple and shown:
        shown = shown[0]
    return shown


def _taken(thing: Any, belief: Belief) -> Sign:
    """The sign that something is what it is taken for."""
    confidence, said = _BELIEVED[belief]
    return Sign(Question.THING, confidence, said.format(KINDS.get(type(thing).__name__, "such a thing")))


KINDS = {
    "Tensor": "a tensor", "Module": "a module", "Optimizer": "an optimizer", "Scaler": "a scaler of gradients",
    "Scheduler": "a scheduler", "Iterator": "an iterator", "Container": "a container",
}  # fmt: skip
"""The names of things that are taken for what they are."""


def runs_around(event: Event, runs: Mapping[int, Run]) -> Iterator[Run]:
    """The runs in which something happened, innermost first, of these runs by their indices."""
    run = runs.get(event.run)
    while run is not None:
        yield run
        run = runs.get(run.parent) if run.caller is not None else None


def calls_between(event: Event, around: Event, runs: Mapping[int, Run]) -> list[Syntax]:
    """The calls by which the run in which one event happened led to that in which another did, innermost first; none
    where it did not."""
    calls: list[Syntax] = []
    for run in runs_around(event, runs):
        if run.index == around.run:
            return calls
        calls.append(run.caller)
    return []


def only_tested(event: Event, end: ModuleFinished) -> bool:
    """Return whether only a test runner gets there: what is kept in memory is soon gone."""
    if end.tests:
        return True
    around = runs_around(event, {run.index: run for run in end.runs})
    return any(run.function is not None and run.function.node in end.collected for run in around)


def given_weights(event: Event) -> tuple[Tensor, ...]:
    """Return the parameters that are given trained weights by this: built with them, or loaded into."""
    if isinstance(event, WrittenInPlace):
        return (event.target,) if event.by is WriteKind.LOAD else ()
    return event.parameters if isinstance(event, ModuleBuilt) and event.trained else ()


def is_under_more_tests(one: Event, other: Event) -> bool:
    """Return whether an event happens on some of the paths to another alone: under its tests and at least one more."""
    return one.run == other.run and other.guards < one.guards


def is_in_loops_of(one: Event, other: Event) -> bool:
    """Return whether every loop in which an event happens is around the other as well: if not, there are rounds without
    it between the two."""
    return one.run == other.run and one.loops == other.loops[: len(one.loops)]


def may_be_told_apart(event: Event, other: Event, end: ModuleFinished) -> bool:
    """Return whether a test that nobody can decide may keep the run of an event from a place that the run of the other
    event gets to: one in what both have in common, the function they came through and what it calls."""
    runs = {run.index: run for run in end.runs}
    mine, its = runs.get(event.run), runs.get(other.run)
    common = None
    while mine is not its and mine and its and _written(mine) is _written(its) is not None:
        common = mine
        if mine.caller is not its.caller:
            break
        mine, its = runs.get(mine.parent), runs.get(its.parent)
    return common is not None and not event.guards <= common.guards


def _written(run: Run) -> Syntax:
    """The text of the function that runs; None for that of a file."""
    return None if run.function is None else run.function.node


def quoted(name: str, otherwise: str) -> str:
    """Return the name of a thing in a message: as the program writes it, or in other words where it has no name."""
    return f"`{name}`" if name else otherwise


LONGEST = 100
"""The most characters of a message, as far as its own words let it."""
SHORTEST = 12
"""The fewest characters of an expression that stay where a message is cut."""
_QUOTED = re.compile(r"`([^`]*)`")


def fitted(message: str, template: str) -> str:
    """The message with the expressions of the program that it quotes cut in the middle, the longest first, until it is
    not too long; what its template quotes itself is not cut."""
    own = set(_QUOTED.findall(template))
    while (over := len(message) - LONGEST) > 0:
        found = [one for one in _QUOTED.findall(message) if one not in own and len(one) > SHORTEST]
        if not found:
            break
        longest = max(found, key=len)
        message = message.replace(f"`{longest}`", f"`{_cut(longest, max(SHORTEST, len(longest) - over))}`")
    return message


def _cut(text: str, size: int) -> str:
    """Return so many characters of a text: its beginning, three points, and its end."""
    end = (size - 3) * 2 // 3
    return f"{text[: size - 3 - end]}...{text[-end:]}"


# ---- evidence


@dataclass(frozen=True)
class Evidence:
    """An example of the mistake (`cures` is None) or of its cure.

    `shows` is the example's own consequence (None: the rule's). `script` lints the body as module-level code.
    `files` are neighbours by file name, as functions written out like the example.
    """

    example: Example
    cures: Example | None = None
    shows: Consequence | None = None
    script: bool = False
    files: Mapping[str, Example] = field(default_factory=dict)


@dataclass(eq=False)
class Rule:
    """A mistake gradlint knows.

    `message` and `help` are templates filled by the keywords of `at`: what happens, and what to do about it. `effect`
    is what the mistake does: "error" (the reported line raises, whenever it is run with the facts that are reported),
    "error later" (another line raises, on account of this one), "wrong result", "no effect", "memory" (it is kept) or
    "slow"; a single finding may do another (`Draft.doing`). `default` says whether the rule is on unless asked. It
    `yields_to` other rules, by code, that report the same mistake: their finding stands at the same place, or one of
    the two points at the other's place in a note, or both at one place. `tokens` are words one of which stands in every
    file, or in a neighbour it imports, in which the rule can find anything, besides a word of torch's
    (`signs.TORCH_WORDS`); without them it is asked about every file that has one of those.
    It is a mistake in the versions of torch from `since` on, and no more from `until` on; where none of them was
    measured, `source` says where that is told, and the rule's findings are possible at most. `worth` is what its
    findings were found to be worth; the registry takes it from the pack.
    """

    code: str
    name: str
    message: str
    help: str = ""
    effect: str = Effect.ERROR
    default: bool = True
    yields_to: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    since: Version | None = None
    until: Version | None = None
    source: str = ""
    page: str = ""
    consequence: Consequence | None = None
    worth: Worth | None = None
    checks: list[tuple[type[Event], tuple[str, ...], Check]] = field(default_factory=list, repr=False)
    evidence: list[Evidence] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        """Raises `ValueError` for an effect that there is not."""
        if self.effect not in tuple(Effect):
            raise ValueError(f"{self.code}: the effect is {self.effect!r}; choose one of {', '.join(Effect)}")
        self.effect = Effect(self.effect)

    def doubts(self) -> Iterator[Sign]:
        """Yield the reasons that all of its findings are possible at most; nothing where they are not."""
        if told(self):
            yield _UNMEASURED
        if self.worth is not None and self.worth.is_too_low:
            counts = f"{self.worth.unwanted} of {self.worth.judged}"
            yield Sign(Question.MISTAKE, POSSIBLE, f"{counts} findings of the rule in real code were not wanted")

    def on(
        self, event: type[EventT], *keys: str
    ) -> Callable[[Callable[[EventT], Findings]], Callable[[EventT], Findings]]:
        """Have the decorated check hear every such event, or only those with one of these keys. Raises `TypeError` for
        an event that has none."""
        if keys and event.key is Event.key:
            raise TypeError(
                f"{self.code}: {event.__name__} has no key to choose by; take {', '.join(map(repr, keys))} away"
            )

        def subscribe(check: Callable[[EventT], Findings]) -> Callable[[EventT], Findings]:
            self.checks.append((event, keys, check))
            return check

        return subscribe

    def at(self, node: Syntax, **facts: object) -> Draft:
        """A finding at this place; its message and help are filled with these facts, the message cut to its length."""
        message = fitted(self.message.format(**facts), self.message)
        return Draft(self, node, message, Effect(self.effect), help=self.help.format(**facts))

    @overload
    def bad(self, example: Example) -> Example: ...
    @overload
    def bad(
        self, *, shows: Consequence | None = None, script: bool = False, files: Mapping[str, Example] | None = None
    ) -> Callable[[Example], Example]: ...
    def bad(
        self,
        example: Example | None = None,
        *,
        shows: Consequence | None = None,
        script: bool = False,
        files: Mapping[str, Example] | None = None,
    ) -> Example | Callable[[Example], Example]:
        """Give an example of the mistake; the reported lines end in a comment with the code."""

        def register(example: Example) -> Example:
            self.evidence.append(Evidence(example, None, shows, script, files or {}))
            return example

        return register(example) if example else register

    def good(
        self, *, cures: Example, script: bool = False, files: Mapping[str, Example] | None = None
    ) -> Callable[[Example], Example]:
        """Give the cure of a bad example: the same program without the mistake."""

        def register(example: Example) -> Example:
            self.evidence.append(Evidence(example, cures, None, script, files or {}))
            return example

        return register
