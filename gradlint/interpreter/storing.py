"""Putting things into containers: whether graphs pile up there."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain import NO, YES, Container, Node, Slot, Tensor, Truth, Value, either, truth
from gradlint.interpreter.core import Interpreter, syntax
from gradlint.interpreter.graphs import in_every
from gradlint.interpreter.scan import spelled


def tell_stored(
    it: Interpreter,
    node: Any,
    container: Container,
    value: Value,
    *,
    adds: bool = True,
    among: bool = False,
    replaces: bool = False,
) -> None:
    """A value is about to be put into a container; `adds` says that nothing is known to make room for it, `among` that
    it is one of those in what is given, `replaces` that it takes the place of some element."""
    if it.unheard:
        return
    recorded = [ref for _, tensor in it.all(value, Tensor) for ref in tensor.node if ref is not None]
    inside = [one for _, one in (*container.items, ("", container.rest))] if recorded and adds else []
    older = [tensor.node for one in inside for _, tensor in it.all(one, Tensor)]
    places = {ref.key for ref in recorded}
    same = [nodes for nodes in older if any(ref is not None and ref.age and ref.key in places for ref in nodes)]
    name, given = _written(syntax(node))
    it.emit(
        events.Stored,
        node,
        container=container,
        value=it.thing(value),
        name=name,
        given=None if among else given,
        graph=tuple(places),
        piles=truth(bool(same)),
        spent=either([_spent(it, nodes) for nodes in same]) if same else NO,
        replaces=replaces,
    )


def _spent(it: Interpreter, nodes: Slot) -> Truth:
    freed = in_every(it, nodes, lambda ref: {"freed"} if _is_freed(it.state.heap.get(ref)) else set())
    return truth(bool(freed))


def _is_freed(thing: object) -> bool:
    return type(thing) is Node and thing.freed is YES


def _written(place: Any) -> tuple[str, Any]:
    """How the program writes the container, and the syntax of what is put into it where that is the last argument."""
    if type(place) is cst.Subscript:
        return spelled(place.value), None
    if type(place) is cst.Call and type(place.func) is cst.Attribute and place.args:
        return spelled(place.func.value), place.args[-1].value
    if type(place) is cst.AugAssign:
        return spelled(place.target), None
    return "", None
