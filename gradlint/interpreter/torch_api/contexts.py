"""Context managers of torch that leave the grad mode alone: what `as` binds, and what they change about saving."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from gradlint.domain.facts import NO, YES
from gradlint.domain.objects import Instance
from gradlint.domain.value_sets import truth_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, Function, ImportPath, PlainObject, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import MODELS
from gradlint.interpreter.engine.escape import havoc
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge import ROWS
from gradlint.knowledge.schema import ManagerRow

ENABLED, ENTERED = "enabled", "enter_result"


def _made(path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    row = m.torch.managers[path]
    havoc(m, [value for value in args.values() if type(value) is Function])
    asked = UNKNOWN if args.unknown else Constant(True)
    given: tuple[tuple[object, Value], ...] = ((ENABLED, args.get("enabled", row.enabled, asked)),)
    if row.gives == "argument":
        given += ((ENTERED, args.get(ENTERED, 0, NONE_VALUE)),)
    return m.new(node, "manager", Instance(ImportPath(row.path), given, NO))


MODELS |= {row.path: partial(_made, row.path) for row in ROWS["managers"]}


def _row(m: Interpreter, thing: Instance) -> ManagerRow | None:
    return m.torch.managers.get(thing.cls.path) if type(thing.cls) is ImportPath else None


EXIT_STACK = PlainObject("exit stack")
"""A manager of managers: what was entered by it is left with it."""


def bound(m: Interpreter, manager: Value) -> Value | None:
    """Return the value that `as` binds; None where the manager is none of these."""
    thing = m.only(manager, Instance)
    row = _row(m, thing) if thing is not None else None
    if thing is None or row is None:
        return None
    return {"itself": manager, "none": NONE_VALUE, "": UNKNOWN}.get(row.gives) or dict(thing.attributes)[ENTERED]


@contextmanager
def saving(m: Interpreter, manager: Value) -> Iterator[None]:
    """Note that inside this block backward may read copies of saved tensors instead of the memory itself."""
    found = [(thing, row) for _, thing in m.all(manager, Instance) if (row := _row(m, thing))]
    copies = any(row.copies and truth_of(dict(thing.attributes)[ENABLED]).may(YES) for thing, row in found)
    m.blocks.copying += copies
    yield
    m.blocks.copying -= copies
