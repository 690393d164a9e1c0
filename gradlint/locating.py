"""Places of the syntax of a run: in the linted file, or in one that it leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gradlint import source
from gradlint.domain import Syntax
from gradlint.events import Event
from gradlint.finding import CALLED, HERE, Finding, Fix, Note, Place
from gradlint.rule import Draft

if TYPE_CHECKING:
    from gradlint.interpreter.engine.machine import Interpreter
    from gradlint.resolving import View


MOST_WAYS = 4
"""The most calls in the linted file that a finding in another points at."""


class Locations:
    """The files of a run and what stands where in them. Others than the linted one are only looked at where something
    in them is to be told: `events` are what happened there, by where: what was reported, or else what came first, and
    `led_by` gives the calls that lead to a draft."""

    def __init__(
        self,
        here: source.Places | None,
        run: Interpreter,
        events: Mapping[Syntax, Event],
        led_by: Callable[[Draft], Sequence[Syntax]],
        project: View | None,
    ) -> None:
        self.events, self.led_by, self.project = events, led_by, project
        self.placed: dict[str, source.Places] = {} if here is None else {HERE: here}
        self.trees = {file.path: file.tree for file in run.neighbours.files.values() if file.tree is not None}
        self.heard = [HERE, *dict.fromkeys(event.file for event in events.values())]

    def of(self, node: Any) -> tuple[str, Place] | None:
        """The path of the file in which a piece of syntax stands, and where; None for what nobody knows."""
        event = self.events.get(node)
        for path in [event.file] if event is not None else self.heard:
            if (found := self._in(path).of([node])) and node in found:
                return path, found[node]
        return None

    def _in(self, path: str) -> source.Places:
        if path not in self.placed:
            tree = self.trees.get(path)
            text = None if self.project is None else self.project.project.text(path)
            self.placed[path] = source.NOWHERE if tree is None or text is None else source.placed(tree, text)
        return self.placed[path]

    def finding(self, draft: Draft, fix: Fix | None) -> Finding | None:
        """Return the finding of a draft. In another file, the calls in the linted one that lead there are among the
        notes; where none does, nothing is told."""
        at = self.of(draft.node)
        if at is None:
            return None
        path, place = at
        notes, calls = [self._note(node, text, path) for node, text in draft.notes], list[Note | None]()
        if path != HERE:
            ways = self._ways(draft, path)
            if not ways:
                return None
            calls = [self._note(way, CALLED, path) for way in ways]
        rule = draft.rule
        return Finding(
            code=rule.code,
            name=rule.name,
            message=draft.message,
            place=place,
            confidence=draft.confidence,
            consequence=draft.effect,
            help=draft.help,
            notes=(*sorted(_known(notes), key=lambda note: (note.path, note.place)), *_known(calls)),
            fixes=(fix,) if fix else (),
            path=path,
            signs=draft.signs,
        )

    def _ways(self, draft: Draft, path: str) -> Sequence[Syntax]:
        """The calls that lead to the place of a draft, or else to its file."""
        in_it = (event.calls[0] for event in self.events.values() if event.file == path and event.calls)
        return self.led_by(draft)[:MOST_WAYS] or [*in_it][:1]

    def _note(self, node: Any, text: str, path: str) -> Note | None:
        """A note of a finding in a file."""
        at = self.of(node)
        if at is None:
            return None
        own = self.project.path if at[0] == HERE and self.project is not None else at[0]
        return Note(at[1], text, "" if at[0] == path else own)


def _known(notes: Iterable[Note | None]) -> list[Note]:
    return [note for note in notes if note is not None]
