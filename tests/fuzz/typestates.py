"""Typestates as programs move them: what the events say of the state before each move.

A move is named by what moves, the state it was in and what happened to it: "gradient: fresh -step>".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gradlint import events
from gradlint.domain import NO, SCALED, YES, Fact, Grad, Mode, Stage, Truth, Unit, truth
from gradlint.events import Event

Moved = Iterable[tuple[Fact, str]]
"""What states something may have been in, and what happened to it."""


def moves(event: Event) -> Iterator[str]:
    """The moves that an event tells of; none of what is not certain."""
    for name, states in _TOLD.get(type(event), ()):
        for fact, action in states(event):
            if not fact.is_unsure:
                yield from (f"{name}: {state} -{action}>" for state in fact.answers())


def _all(name: str, states: type[Fact], *actions: str) -> list[str]:
    return [f"{name}: {state} -{action}>" for state in states.names for action in actions]


MOVES: tuple[str, ...] = (
    *_all("gradient", Grad, "backward", "clear", "step"),
    *_all("unit of a gradient", Unit, "backward", "scaled backward", "clear", "clip", "unscale_"),
    *_all("optimizer of a scaler", Stage, "unscale_", "step"),
    *_all("module", Mode, "train", "eval"),
    *_all("freed graph", Truth, "backward", "backward that keeps"),
    *_all("graph that was kept", Truth, "backward"),
    *_all("stale graph", Truth, "backward"),
    *_all("corrupt graph", Truth, "backward"),
    *_all("used iterator", Truth, "iterate"),
    *_all(
        "gradients on", Truth, "with on", "with off", "decorator on", "decorator off", "statement on", "statement off"
    ),
    *_all("inference mode", Truth, "on", "off"),
    *_all("required gradient", Truth, "yes", "no"),
)
"""All moves there are, those that torch refuses among them."""


def _differentiated(event: events.BackwardRun) -> Moved:
    if event.how == "backward":
        yield from ((leaf.grad, "backward") for leaf in event.leaves)


def _measured(event: events.BackwardRun) -> Moved:
    action = "scaled backward" if event.unit is SCALED else "backward"
    yield from ((leaf.unit, action) for leaf in event.leaves)


def _graph(event: events.BackwardRun) -> Moved:
    yield event.freed, "backward that keeps" if event.retain is YES else "backward"


def _each(attribute: str, action: str) -> Callable[[Any], Moved]:
    """What happens to all parameters of an event."""
    return lambda event: [(getattr(tensor, attribute), action) for tensor in event.parameters]


def _unscaled(event: events.ScalerUsed) -> Moved:
    if event.what == "unscale_":
        yield event.unit, "unscale_"


def _driven(event: events.ScalerUsed) -> Moved:
    if event.optimizer is not None:
        yield event.stage, event.what


def _switched(event: events.GradModeChanged) -> Moved:
    if event.to in (YES, NO):
        yield event.before, f"{event.how} {'on' if event.to is YES else 'off'}"


def _switched_inside(event: events.GradModeChanged) -> Moved:
    if event.to in (YES, NO):
        yield event.inference, "on" if event.to is YES else "off"


_TOLD: dict[type[Event], tuple[tuple[str, Callable[[Any], Moved]], ...]] = {
    events.BackwardRun: (
        ("gradient", _differentiated),
        ("unit of a gradient", _measured),
        ("freed graph", _graph),
        ("graph that was kept", lambda event: [(truth(bool(event.earlier_backwards)), "backward")]),
        ("stale graph", lambda event: [(event.stale, "backward")]),
        ("corrupt graph", lambda event: [(event.corrupt, "backward")]),
    ),
    events.GradientsCleared: (("gradient", _each("grad", "clear")), ("unit of a gradient", _each("unit", "clear"))),
    events.GradientsClipped: (("unit of a gradient", _each("unit", "clip")),),
    events.OptimizerStepped: (("gradient", _each("grad", "step")),),
    events.ScalerUsed: (("optimizer of a scaler", _driven), ("unit of a gradient", _unscaled)),
    events.ModeChanged: (("module", lambda event: [(event.module.mode, str(event.to))]),),
    events.IteratorConsumed: (("used iterator", lambda event: [(event.iterator.used, "iterate")]),),
    events.GradModeChanged: (("gradients on", _switched), ("inference mode", _switched_inside)),
    events.RequiresGradChanged: (("required gradient", lambda event: [(event.tensor.requires_grad, str(event.to))]),),
}
