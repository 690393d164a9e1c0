"""What a program exercises: rows of knowledge, kinds of syntax, events, and moves of typestates.

All of it is read off the events that gradlint tells while it runs the program, and off the syntax they stand in.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from gradlint import events
from gradlint.domain import Tensor
from gradlint.events import Called, Event, ModuleFinished
from gradlint.interpreter.engine.cannot_raise import REVEAL
from gradlint.interpreter.engine.dispatch import EXPRESSIONS, STATEMENTS
from gradlint.interpreter.static.tree_walk import in_order, is_statement
from gradlint.testing.measuring import rows_here
from tests.fuzz.typestates import MOVES, moves

ROWS, SYNTAX, EVENTS, STATES = "knowledge rows", "kinds of syntax", "types of events", "typestate transitions"
AREAS = ROWS, SYNTAX, EVENTS, STATES
KINDS_OF_ROWS = (
    "factories", "modules", "optimizers", "contexts", "schedulers", "clipping", "managers", "reparametrizations",
    "scalers",
)  # fmt: skip
"""The kinds of rows beside operations that programs can use."""


def _nothing() -> dict[str, set[str]]:
    return {area: set() for area in AREAS}


@dataclass(slots=True)
class Exercised:
    """What was exercised, by area, and how many statements of the program did something to a tensor."""

    things: dict[str, set[str]] = field(default_factory=_nothing)
    tensor_statements: int = 0
    _touched: dict[Any, None] = field(default_factory=dict)
    _recorded: dict[Any, set[str]] = field(default_factory=dict)
    _tree: Any = None

    def hear(self, event: Event) -> None:
        """Take down what an event shows."""
        self.things[EVENTS].add(type(event).__name__)
        self.things[STATES].update(moves(event))
        op = getattr(event, "op", "")
        if op:
            self._recorded.setdefault(event.node, set()).add(op)
            self.things[ROWS].update(_rows_of_operator(op))
        if isinstance(event, Called):
            if event.path == REVEAL:
                return
            self.things[ROWS].update(_rows_of_path(event.path, self._recorded.get(event.node, set())))
        if isinstance(event, ModuleFinished):
            self._tree = event.node
        elif _shows_tensor(event):
            self._touched[event.node] = None

    def finish(self) -> None:
        """Look at the syntax of the program, when all is heard, and let go of it."""
        statements, count = set(), 0
        for node in in_order(self._tree):
            count += is_statement(node)
            if type(node) in _kinds():
                self.things[SYNTAX].add(type(node).__name__)
            if node in self._touched:
                statements.add(count)
        self.tensor_statements = len(statements)
        self._touched, self._recorded, self._tree = {}, {}, None

    def merge(self, other: Exercised) -> None:
        """Add what another program exercised."""
        for area, things in other.things.items():
            self.things[area] |= things


@cache
def areas() -> dict[str, tuple[str, ...]]:
    """All there is to exercise, by area."""
    told = [kind for _, kind in inspect.getmembers(events, inspect.isclass) if issubclass(kind, Event)]
    return {
        ROWS: tuple(sorted({label for labels in _labels().values() for _, label in labels})),
        SYNTAX: tuple(sorted(kind.__name__ for kind in _kinds())),
        EVENTS: tuple(sorted(kind.__name__ for kind in told if kind is not Event)),
        STATES: tuple(MOVES),
    }


# ---- rows of knowledge


@cache
def _labels() -> dict[str, list[tuple[str, str]]]:
    """Under each import path the rows that may be meant by it: the operation that is recorded then, if that decides,
    and what the row is called here."""
    found: dict[str, list[tuple[str, str]]] = {}
    for row in rows_here("operations"):
        for path in row.paths if row.measured else ():
            found.setdefault(path.partition(" ")[0], []).append((row.name, f"{row.name} ({row.paths[0]})"))
    for row in (row for kind in KINDS_OF_ROWS for row in rows_here(kind)):
        paths = getattr(row, "paths", None) or (row.path,)
        for path in paths if getattr(row, "example", True) else ():
            found.setdefault(path, []).append(("", paths[0]))
    return found


@cache
def _operators() -> dict[str, list[str]]:
    """What the rows are called that an operation may be recorded by without a call: operators and attributes."""
    found: dict[str, list[str]] = {}
    for path, labels in _labels().items():
        if path.startswith("operator."):
            for op, label in labels:
                found.setdefault(op, []).append(label)
    return found


def _rows_of_path(path: str, recorded: set[str]) -> Iterator[str]:
    labels = _labels().get(path, [])
    certain = len({label for _, label in labels}) == 1
    yield from (label for op, label in labels if certain or not op or op in recorded)


def _rows_of_operator(op: str) -> list[str]:
    labels = _operators().get(op, [])
    return labels if len(labels) == 1 else []


# ---- syntax


@cache
def _kinds() -> frozenset[type]:
    """The kinds of statement and expression that this Python can write."""
    return frozenset(kind for kind in (*STATEMENTS, *EXPRESSIONS) if kind.__name__ not in NEWER)


NEWER = ("StarredDictComp", "TemplatedString", "LazyImport", "LazyImportFrom", "TypeAlias")
"""What only a newer Python runs than the oldest that is supported."""


@cache
def _shown(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.name not in ("node", "story", "runs"))


def _shows_tensor(event: Event) -> bool:
    """Whether an event is about a tensor."""
    kind: Any = type(event)
    for name in _shown(kind):
        part = getattr(event, name)
        if isinstance(part, Tensor) or (isinstance(part, tuple) and any(isinstance(each, Tensor) for each in part)):
            return True
    return False
