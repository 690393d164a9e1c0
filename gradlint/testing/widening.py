"""Widening: an event with one fact less known must never bring a finding more.

Rules speak of what certainly holds. If an event in which something is unknown is reported while the same event
with that known was not, the rule speaks from ignorance.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import Field, fields, is_dataclass
from functools import cache
from typing import Any

from gradlint import linter
from gradlint.domain import UNKNOWN, Fact, Ref, Unknown
from gradlint.events import Event
from gradlint.frozen import replace
from gradlint.rule import Check, Confidence, Draft, Rule, believed

MOST_CHANGES = 60
"""The most facts of one event that are made less known, one at a time, if nobody asks for more."""


def heard_events(text: str) -> list[Event]:
    """All events of a text, stories included, in order."""
    heard: list[Event] = []
    linter.analyse(text, (), watch=linter.Watch(listen=heard.append))
    return heard


def widened(event: Event, most: int = MOST_CHANGES) -> Iterator[tuple[str, Event]]:
    """Each copy of an event in which one thing is less known, and which that is.

    A fact of the event, or of anything it holds, becomes unsure; what an event shows of a value becomes UNKNOWN. What
    stands in several places (a tensor in two events of a story) is the same thing and changes in all of them. Of a
    long story, whose facts are thousands, every so many is taken, so that `most` remain.
    """
    things, holders = _held(event)
    changes = [
        (path, thing, name, wider)
        for path, thing in things
        if not isinstance(thing, tuple)
        for name, wider in _less_known(thing)
    ]
    for path, thing, name, wider in changes[:: len(changes) // most + 1]:
        changed = replace(thing, **{name.partition("[")[0]: wider})
        yield f"{path}.{name}", _with(event, thing, changed, holders)


def _held(event: Event) -> tuple[list[tuple[str, Any]], dict[int, list[Any]]]:
    """All dataclasses and tuples of ours that an event holds, itself among them, each under the shortest path to it,
    and what holds each directly."""
    things: dict[int, tuple[str, Any]] = {}
    holders: dict[int, list[Any]] = {}
    todo: deque[tuple[str, Any]] = deque([("", event)])
    while todo:
        path, thing = todo.popleft()
        if id(thing) in things:
            continue
        things[id(thing)] = path, thing
        for name, part in _parts(thing):
            if _is_ours(part):
                holders.setdefault(id(part), []).append(thing)
                todo.append((path + name, part))
    return list(things.values()), holders


def _parts(thing: Any) -> Iterator[tuple[str, Any]]:
    """Return the direct parts of a dataclass or a tuple, and the way to get at each."""
    if isinstance(thing, tuple):
        yield from ((f"[{index}]", part) for index, part in enumerate(thing))
    else:
        yield from ((f".{field.name}", getattr(thing, field.name)) for field in _fields(thing.__class__))


@cache
def _fields(kind: type) -> tuple[Field[Any], ...]:
    """The fields of a dataclass, looked up once for all facts that are widened."""
    return fields(kind)


def _is_ours(thing: Any) -> bool:
    return _is_of_ours(thing.__class__)


@cache
def _is_of_ours(kind: type) -> bool:
    """Return whether things of that type are dataclasses of ours or tuples."""
    if issubclass(kind, tuple):
        return not issubclass(kind, Ref)
    return is_dataclass(kind) and kind.__module__.startswith("gradlint.")


def _less_known(thing: Any) -> Iterator[tuple[str, Any]]:
    """The fields of a dataclass, or elements of them, and the field with less known in it."""
    for field in _fields(thing.__class__):
        known = getattr(thing, field.name)
        if isinstance(known, Fact):
            for wider in dict.fromkeys((known.unsure(), known | known.unsure())):
                if wider != known:
                    yield field.name, wider
        elif isinstance(thing, Event) and field.type == "Thing" and not isinstance(known, Unknown):
            yield field.name, UNKNOWN
        elif isinstance(thing, Event) and field.type == "tuple[Thing, ...]":
            for index, part in enumerate(known):
                if not isinstance(part, Unknown):
                    yield (f"{field.name}[{index}]", (*known[:index], UNKNOWN, *known[index + 1 :]))


def _with(event: Event, old: Any, new: Any, holders: dict[int, list[Any]]) -> Event:
    """The event with one thing in it exchanged wherever it stands."""
    touched: dict[int, Any] = {id(old): old}
    todo = [old]
    while todo:
        for holder in holders.get(id(todo.pop()), ()):
            if id(holder) not in touched:
                touched[id(holder)] = holder
                todo.append(holder)
    made: dict[int, Any] = {id(old): new}

    def rebuilt(thing: Any) -> Any:
        key = id(thing)
        if key not in touched:
            return thing
        if key not in made:
            if isinstance(thing, tuple):
                made[key] = tuple(rebuilt(part) for part in thing)
            else:
                parts = ((field.name, getattr(thing, field.name)) for field in _fields(thing.__class__))
                made[key] = replace(thing, **{name: rebuilt(part) for name, part in parts if id(part) in touched})
        return made[key]

    rebuilt_event: Event = rebuilt(event)
    return rebuilt_event


def empty_facts(event: Event) -> Iterator[str]:
    """The facts of an event, or of anything it holds, that no answer is left for: its path is dead."""
    for path, thing in _held(event)[0]:
        for name, part in _parts(thing):
            if isinstance(part, Fact) and part.is_empty:
                yield f"{type(event).__name__}{path}{name}"


def drafts(rule: Rule, event: Event) -> list[Draft]:
    """Return the drafts of the checks of a rule that subscribed to an event, as far as the event may be believed."""
    return [draft.lowered(believed(event)) for check in _hearing(rule, event) for draft in check(event)]


def _hearing(rule: Rule, event: Event) -> list[Check]:
    """The checks of a rule that subscribed to an event."""
    return [check for kind, keys, check in rule.checks if type(event) is kind and (not keys or event.key in keys)]


def emboldened(rules: Sequence[Rule], event: Event, most: int = MOST_CHANGES) -> Iterator[str]:
    """Findings that appear, or are believed more, when one fact of the event is less known, of at most so many."""
    listening = [rule for rule in rules if _hearing(rule, event)]
    if not listening:
        return
    before: dict[tuple[str, int], Confidence] = {}
    for rule in listening:
        for draft in drafts(rule, event):
            key = (rule.code, id(draft.node))
            before[key] = min(draft.confidence, before.get(key, draft.confidence))  # of several the one that is shown
    for path, wider in widened(event, most):
        for rule in listening:
            for draft in drafts(rule, wider):
                known = before.get((rule.code, id(draft.node)))
                if known is None or draft.confidence < known:
                    said = "is reported only" if known is None else "is believed more"
                    yield f"{rule.code} {said} when {type(event).__name__}{path} is unknown"
