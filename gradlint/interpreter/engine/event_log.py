"""The log of a run: its events, the rules that hear them, its counts, and the means to hold or take back all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gradlint.events import Event, Run
from gradlint.frozen import frozen, replace

if TYPE_CHECKING:
    from gradlint.interpreter.engine.tracing import Trace

BOUND = "bound: "
"""The prefix of the counts that tell of a bound that was hit."""


@frozen()
class Excerpt:
    """The excerpt of the log for one call: its events and runs of functions, and how many runs there were `before`."""

    story: tuple[Event, ...]
    runs: tuple[Run, ...]
    before: int


@dataclass(slots=True)
class EventLog:
    """The `story` of all events and the `runs` of functions so far, of which the one that runs is number `run`.

    `come_by` are the places that events tell of which happened behind no line that raises. `repeated` are the events of
    calls that a summary repeated, by their ids; `alike` are those calls, after the ones that they are like, with the
    runs in which they are. `undo` takes back what is to be forgotten with the events. `recorded` are the functions of
    the first so many runs.
    """

    listen: Callable[[Event], None]
    trace: Trace | None
    story: list[Event] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    run: int = 0
    muted: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    come_by: set[Any] = field(default_factory=set)
    repeated: dict[int, tuple[Event, ...]] = field(default_factory=dict)
    alike: dict[tuple[Any, Any, int], None] = field(default_factory=dict)
    undo: list[Callable[[], None]] = field(default_factory=list)
    recorded: tuple[int, set[Any]] = field(default_factory=lambda: (0, set()))

    def append(self, event: Event) -> None:
        """Emit an event to all listeners."""
        self.story.append(event)
        self.counts["events"] += 1
        self.listen(event)

    def exceeded(self, bound: str) -> None:
        """Count that a bound of the analysis was reached."""
        self.counts[BOUND + bound] += 1
        if self.trace is not None:
            self.trace.stopped(bound)

    # ---- events that are not emitted, or not yet

    @contextmanager
    def silently(self, really: bool = True) -> Iterator[None]:
        """Run without emitting events."""
        self.muted += really
        traced = self.trace.mark() if really and self.trace is not None else None
        try:
            yield
        finally:
            self.muted -= really
            self._forget_traced(traced)

    @contextmanager
    def held_back(self) -> Iterator[Callable[[], None]]:
        """Hold back events until it is certain that they are to be emitted; `forget` says that it is not."""
        traced = self.trace.mark() if self.trace is not None else None
        if self.muted:
            yield lambda: self._forget_traced(traced)
            return
        listen, held = self.listen, list[Event]()
        story, runs, run, counts = len(self.story), len(self.runs), self.run, self.counts.copy()
        undo, alike = len(self.undo), len(self.alike)

        def forget() -> None:
            self._forget_traced(traced)
            del self.story[story:], self.runs[runs:]
            bounds = {name: number for name, number in self.counts.items() if name.startswith(BOUND)}
            self.run = run
            self.counts = counts | Counter(bounds)  # what hit them may be recalled, and not hit them again
            for call in [*self.alike][alike:]:
                del self.alike[call]
            for take_back in self.undo[undo:]:
                take_back()
            del self.undo[undo:]
            held.clear()

        self.listen = held.append
        yield forget
        self.listen = listen
        for event in held:
            listen(event)

    def _forget_traced(self, since: int | None) -> None:
        if self.trace is not None and since is not None:
            self.trace.forget(since)

    def is_recorded(self, function: Any) -> bool:
        """Return whether a run of a function is kept, as things stand between functions: where only rounds of a loop
        that are forgotten come to a call, for there are no steps left, none is."""
        seen, found = self.recorded
        found.update(run.function.node for run in self.runs[seen:] if run.function is not None)
        self.recorded = len(self.runs), found
        return function in found

    # ---- events that are repeated

    def since(self, story: int, runs: int) -> Excerpt | None:
        """Return the events since there were so many; None while none are."""
        return None if self.muted else Excerpt(tuple(self.story[story:]), tuple(self.runs[runs:]), runs)

    def replay(self, excerpt: Excerpt) -> None:
        """Emit the events of a call as if they happened now."""
        later = len(self.runs) - excerpt.before
        renumbered: dict[int, Event] = {}
        for event in excerpt.story:
            run = event.run + later if event.run > excerpt.before else self.run
            renumbered[id(event)] = renewed = event if run == event.run else replace(event, run=run)
            self.append(renewed)
        self.repeats(tuple(renumbered.values()))
        for one in excerpt.runs:
            parent = one.parent + later if one.parent > excerpt.before else self.run
            story = tuple([renumbered[id(event)] for event in one.story])
            self.runs.append(replace(one, index=one.index + later, parent=parent, story=story))

    def repeats(self, events: tuple[Event, ...]) -> None:
        """Let a call's events hold of another as well; they are known by their id, and so kept alive."""
        self.repeated[id(events)] = events
