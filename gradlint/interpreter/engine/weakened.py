"""Tensors of which less is known while other code has hold of them: it sees other handles on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradlint.domain.mentions import object_references
from gradlint.domain.objects import Container, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.values import Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.machine import Interpreter


@contextmanager
def seen_as(m: Interpreter, values: Sequence[Value], **facts: Any) -> Iterator[None]:
    """Weaken the facts of these tensors while a function runs that is passed other handles on them."""
    before = [(ref, {name: getattr(m[ref], name) for name in facts}) for ref in tensors_in(m, values)]
    for ref, _ in before:
        m.store(ref, replace(m[ref], **facts))
    start = m.push(*(ref for ref, _ in before))
    yield
    for value, (_, known) in zip(m.pop_from(start), before, strict=True):
        m.update_fields(value, Tensor, **known)


def tensors_in(m: Interpreter, values: Sequence[Value]) -> list[Ref]:
    """The tensors among these values, and in the containers among them."""
    found = m.state.reach(values, lambda thing: object_references(thing) if type(thing) is Container else ())
    return [ref for ref in found if type(m[ref]) is Tensor]
