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
from gradlint.events import Event
from gradlint.rule import Draft, Rule


def heard_events(text: str) -> list[Event]:
    """All events of a text, stories included, in order."""
    heard: list[Event] = []
    linter.analyse(text, (), listen=heard.append)
    return heard


def widened(thing: Any) -> Iterator[tuple[str, Any]]:
    """Each copy of an event, an object or a tuple of them in which one fact is less known, and which fact that is."""
    if isinstance(thing, Fact):
        yield from (("", wider) for wider in dict.fromkeys((thing.unsure(), thing | thing.unsure())) if wider != thing)
    elif isinstance(thing, tuple) and not isinstance(thing, Ref):
        for index, part in enumerate(thing):
            for path, wider in widened(part):
                yield f"[{index}]{path}", (*thing[:index], wider, *thing[index + 1 :])
    elif is_dataclass(thing) and type(thing).__module__.startswith("gradlint."):
        for field in fields(thing):
            for path, wider in widened(getattr(thing, field.name)):
                yield f".{field.name}{path}", replace(thing, **{field.name: wider})  # type: ignore[type-var]


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
