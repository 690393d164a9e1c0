"""The undecided questions that cost findings: where rules asked for a fact that was unsure, and found nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradlint.domain import Fact, Syntax
from gradlint.events import Event
from gradlint.rule import Rule

MOST_FRAMES = 8
"""The most callers of a comparison that are looked at for the event that it is about."""
_ASKING = ("__le__", "possibly", "may")
"""The methods by which rules ask."""


def undecided(events: Iterable[Event], rules: Sequence[Rule]) -> list[tuple[str, Syntax]]:
    """The rules, by code, and the places at which each was undecided: it heard an event of the linted file, reported
    nothing there, and the last fact that it asked for was unsure, so that it could not know. In a story these are the
    places of the events that it looked at."""
    found: dict[tuple[str, int], tuple[str, Syntax]] = {}
    here = [event for event in events if not event.file]
    for rule in rules:
        for kind, keys, check in rule.checks:
            for event in here:
                if type(event) is kind and (not keys or event.key in keys):
                    for node in _of_check(check, event):
                        found.setdefault((rule.code, id(node)), (rule.code, node))
    return list(found.values())


def _of_check(check: Callable[[Any], Iterable[Any]], event: Event) -> Iterator[Syntax]:
    last: dict[int, tuple[Syntax, bool]] = {}

    def note(unsure: bool) -> None:
        node = _in_hand(event).node
        last[id(node)] = (node, unsure)

    with _heard(note):
        reported = {id(draft.node) for draft in check(event)}
    return (node for key, (node, unsure) in last.items() if unsure and key not in reported)


def _in_hand(event: Event) -> Event:
    """The event that a rule looks at when it asks: of the story that it heard the one in its innermost function."""
    frame = sys._getframe(3)
    for _ in range(MOST_FRAMES):
        for value in frame.f_locals.values():
            if isinstance(value, Event) and value is not event and not value.file:
                return value
        if frame.f_back is None:
            break
        frame = frame.f_back
    return event


@contextmanager
def _heard(note: Callable[[bool], None]) -> Iterator[None]:
    """Note each time that a fact is asked for, and whether the answer rests on ignorance alone."""
    plain = {name: getattr(Fact, name) for name in _ASKING}

    def asking(name: str) -> Callable[[Fact, Fact], bool]:
        ask = plain[name]

        def asked(self: Fact, other: Fact) -> bool:
            answer: bool = ask(self, other)
            note(self.is_unsure and _rests_on_ignorance(name, self, other, answer))
            return answer

        return asked

    for name in _ASKING:
        setattr(Fact, name, asking(name))
    try:
        yield
    finally:
        for name, ask in plain.items():
            setattr(Fact, name, ask)


def _rests_on_ignorance(name: str, fact: Fact, other: Fact, answer: bool) -> bool:
    """Return whether an unsure fact would answer otherwise if no more could hold than what paths showed."""
    shown = fact.bits & ~fact.unsure().bits
    if name == "__le__":
        return not answer and not shown & ~other.bits
    return not shown & other.bits
