"""Tensors of which less is known while other code has hold of them: it sees other handles on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradlint.domain import Container, Ref, Tensor, Value, object_references, references
from gradlint.frozen import replace
from gradlint.interpreter.engine.machine import Interpreter


@contextmanager
def seen_as(it: Interpreter, values: Sequence[Value], **facts: Any) -> Iterator[None]:
    """While a function runs that is handed other handles on these tensors, less is known of them."""
    before = [(ref, {name: getattr(it[ref], name) for name in facts}) for ref in tensors_in(it, values)]
    for ref, _ in before:
        it.put(ref, replace(it[ref], **facts))
    start = it.hold(*(ref for ref, _ in before))
    yield
    for value, (_, known) in zip(it.land(start), before, strict=True):
        it.update(value, Tensor, **known)


def tensors_in(it: Interpreter, values: Sequence[Value]) -> list[Ref]:
    """The tensors among these values, and in the containers among them."""
    found: dict[Ref, None] = {}
    todo = [ref for value in values for ref in references(value)]
    while todo:
        ref = todo.pop()
        thing = it.state.heap.get(ref)
        if ref not in found and type(thing) in (Tensor, Container):
            found[ref] = None
            todo += object_references(thing) if type(thing) is Container else ()
    return [ref for ref in found if type(it[ref]) is Tensor]
