"""Names by which a loop carries a graph from one iteration to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from gradlint.domain import NOTHING, Container, Ref, Tensor, Value, alternatives
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.dropping import read_first
from gradlint.interpreter.walking import in_order


def carriers(it: Interpreter, node: Any, carried: Sequence[Ref]) -> tuple[tuple[str, str, Any], ...]:
    """By what names of the function that runs the next iteration of the loop around a place gets hold of something with
    these nodes in its graph: "tensor" or "tuple" (one of tensors), and the place itself or a later one where the loop
    binds the name. None where something else holds it as well."""
    loop = _loop_around(it.frame.scope.node, node)
    found: list[tuple[str, str, Any]] = []
    for name, bindings in read_first(it.frame.scope.node, loop).items() if loop is not None else ():
        value = it.state.held((it.frame.id, name))
        if value is not None and any(_holds(it, ref, carried) for ref in it.state.reach([value])):
            kind = _kind(it, value) if bindings else ""
            found += [(name, kind, place) for place in _last_places(loop, node, bindings)]
    return tuple(found) if all(kind for _, kind, _ in found) else ()


def _last_places(loop: Any, place: Any, bindings: Sequence[Any]) -> list[Any]:
    """What comes last of a place and the bindings of a name in an iteration: the place only if some come before it."""
    order = list(in_order(loop))
    at = order.index(place)
    later = [binding for binding in bindings if order.index(binding) > at]
    return [*([] if 0 < len(later) == len(bindings) else [place]), *later]


def _loop_around(scope: Any, place: Any) -> Any:
    """The innermost loop of a scope that a place stands in."""
    loops = [node for node in in_order(scope) if isinstance(node, cst.For | cst.While)]
    return next((loop for loop in reversed(loops) if any(node is place for node in in_order(loop.body))), None)


def _holds(it: Interpreter, ref: Ref, carried: Sequence[Ref]) -> bool:
    return type(it[ref]) is Tensor and not it.past(it.operand(ref)).keys().isdisjoint(carried)


def _kind(it: Interpreter, value: Value) -> str:
    thing = it.only(value, Container)
    if thing is not None and thing.kind == "tuple" and thing.rest == NOTHING:
        return "tuple" if all(_is_tensor(it, inner) for _, inner in thing.items) else ""
    return "tensor" if _is_tensor(it, value) else ""


def _is_tensor(it: Interpreter, value: Value) -> bool:
    return all(type(one) is Ref and type(it.state.heap.get(one)) is Tensor for one in alternatives(value))
