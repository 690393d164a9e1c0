"""Runs of `forward` by themselves, for the rules on things made in it."""

from __future__ import annotations

from collections.abc import Iterator

from gradlint.domain import YES
from gradlint.events import ClassFinished, Event, OptimizerBuilt, Run


def runs_of_forward(event: ClassFinished) -> Iterator[Run]:
    """The runs of `forward` of a class of modules, except of one that trains by itself what it makes."""
    if event.cls.module <= YES:
        for method in event.methods:
            for run in method.runs if method.name == "forward" else ():
                if not any(isinstance(happened, OptimizerBuilt) for happened in run.story):
                    yield run


def own_events(run: Run) -> Iterator[Event]:
    """Yield the events of a run itself, not of what it called, and whatever the conditions in it."""
    began = len(run.conditions)
    for event in run.story:
        if event.run == run.index and len(event.conditions) == began:
            yield event
