"""Widening: an event with one fact less known must never bring a finding more.

Rules speak of what certainly holds. If an event in which something is unknown is reported while the same event
with that known was not, the rule speaks from ignorance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from gradlint import linter
from gradlint.domain import Fact, Ref
from gradlint.events import Event, Run
from gradlint.rule import Draft, Rule


def heard_events(text: str) -> list[Event]:
    """All events of a text, stories included, in order."""
    heard: list[Event] = []
    linter.analyse(text, (), listen=heard.append)
    return heard


def widened(event: Event) -> Iterator[tuple[str, Event]]:
    """Each copy of an event in which one fact is less known, and which fact that is.

    An event of a story is widened wherever the story tells of it, so that it stays one event.
    """
    yield from _widened(event)
    told = {id(part): part for story in _stories(event) for part in story}
    for part in told.values():
        for path, wider in _widened(part):
            yield f"'s {type(part).__name__}{path}", _retold(event, part, wider)


def _widened(thing: Any) -> Iterator[tuple[str, Any]]:
    """Copies of an object, or of a tuple of objects, with one fact less known; events inside it stay as they are."""
    if isinstance(thing, Fact):
        yield from (("", wider) for wider in dict.fromkeys((thing.unsure(), thing | thing.unsure())) if wider != thing)
    elif isinstance(thing, tuple) and not isinstance(thing, Ref):
        for index, part in enumerate(thing):
            for path, wider in () if isinstance(part, Event) else _widened(part):
                yield f"[{index}]{path}", (*thing[:index], wider, *thing[index + 1 :])
    elif is_dataclass(thing) and type(thing).__module__.startswith("gradlint."):
        for field in fields(thing):
            for path, wider in _widened(getattr(thing, field.name)):
                yield f".{field.name}{path}", replace(thing, **{field.name: wider})  # type: ignore[type-var]


def _stories(thing: Any) -> Iterator[tuple[Event, ...]]:
    """All stories that an event tells: its own and those of its runs."""
    if is_dataclass(thing) and hasattr(thing, "story"):
        yield thing.story
    for run in getattr(thing, "runs", ()):
        yield run.story
    for _, runs in getattr(thing, "methods", ()):
        for run in runs:
            yield run.story


def _retold(event: Any, part: Event, wider: Event) -> Any:
    """The same event with another in place of one that its stories tell."""

    def story(told: tuple[Event, ...]) -> tuple[Event, ...]:
        return tuple(wider if one is part else one for one in told)

    def all_of(runs: tuple[Run, ...]) -> tuple[Run, ...]:
        told = (any(one is part for one in run.story) for run in runs)
        return tuple(replace(run, story=story(run.story)) if has else run for run, has in zip(runs, told, strict=True))

    changed: dict[str, Any] = {}
    if hasattr(event, "story"):
        changed["story"] = story(event.story)
    if hasattr(event, "runs"):
        changed["runs"] = all_of(event.runs)
    if hasattr(event, "methods"):
        changed["methods"] = tuple((name, all_of(runs)) for name, runs in event.methods)
    return replace(event, **changed)


def drafts(rule: Rule, event: Event) -> list[Draft]:
    """What the checks of a rule that subscribed to an event yield for it."""
    return [
        draft
        for kind, keys, check in rule.checks
        if type(event) is kind and (not keys or event.key in keys)
        for draft in check(event)
    ]


def emboldened(rules: Sequence[Rule], event: Event) -> Iterator[str]:
    """Findings that appear, or are believed more, when one fact of the event is less known."""
    listening = [rule for rule in rules if any(type(event) is kind for kind, _, _ in rule.checks)]
    if not listening:
        return
    before = {(rule.code, id(d.node)): d.confidence for rule in listening for d in drafts(rule, event)}
    for path, wider in widened(event):
        for rule in listening:
            for draft in drafts(rule, wider):
                known = before.get((rule.code, id(draft.node)))
                if known is None or draft.confidence < known:
                    said = "is reported only" if known is None else "is believed more"
                    yield f"{rule.code} {said} when {type(event).__name__}{path} is unknown"
