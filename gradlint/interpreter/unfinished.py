"""Code that runs when somebody asks for more: generators, generator expressions and `map`.

It is followed where it is made. What it does there it does again each time that it is asked, in between whatever the
program does meanwhile: what it may have changed is not known from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from gradlint.domain import (
    ANY_MODE,
    UNSURE,
    Container,
    Iterator,
    Module,
    Object,
    Optimizer,
    Ref,
    Stage,
    Tensor,
    thinned,
)
from gradlint.domain.changing import replace
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.reach import in_strange_hands

Changes = Callable[[], set[Ref]]
"""Gives what has been changed so far of what was there before."""


@contextmanager
def unfinished(it: Interpreter) -> Generator[Changes]:
    """While such code is followed; its changes are to be asked for wherever it waits."""
    before, written, changed = it.fork(), set[Ref](), set[Ref]()

    def changes() -> set[Ref]:
        heap = it.state.heap
        changed.update(ref for ref, old in before.heap.items() if ref in heap and _differ(old, heap[ref]))
        changed.update(ref for ref in written if ref in before.heap)
        return changed

    it.written.append(written)
    yield changes
    it.written.pop()


NOTICED: dict[type, Callable[[Any], Any]] = {
    Tensor: attrgetter("requires_grad", "leaf", "retains", "grad", "gradient"),
    Container: attrgetter("items", "rest", "certain"),
}
"""What others notice of a change."""


def _differ(old: Object, new: Object) -> bool:
    noticed = NOTICED.get(type(old))
    return old is not new and type(old) is type(new) and noticed is not None and noticed(old) != noticed(new)


GOING_ON: dict[type, Callable[[Any], Object]] = {
    Tensor: in_strange_hands,
    Container: thinned,
    Module: lambda thing: replace(thing, mode=thing.mode | ANY_MODE),
    Optimizer: lambda thing: replace(thing, stepped=thing.stepped | UNSURE, stage=thing.stage | Stage.unsure()),
}
"""What is known of an object that code changes which runs on whenever it is asked."""


def goes_on(it: Interpreter, thing: Iterator) -> None:
    """Such code runs on: what it changed where it was followed it may change again."""
    for ref in thing.touches:
        touched = it.state.heap.get(ref)
        if (again := GOING_ON.get(type(touched))) is not None:
            it.put(ref, again(touched))
