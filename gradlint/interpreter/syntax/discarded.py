"""Expressions that stand alone as statements: their values are dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.objects import Container, Tensor
from gradlint.domain.values import UNKNOWN, Bound, ImportPath, Value
from gradlint.events import Called, Event, ModuleCalled, Thing
from gradlint.interpreter.autograd.batches import TakenApart, is_batch
from gradlint.interpreter.engine.dispatch import executes
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import peek
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.unknown.duck_typing import is_tensor, uses_of
from gradlint.interpreter.unknown.handed_tensors import is_operand


@executes(cst.Expr)
def expression_statement(m: Interpreter, node: cst.Expr) -> None:
    began = len(m.log.story)
    value = m.value(node.value)
    if type(node.value) is cst.Yield:
        m.unknown.pop(node.value, None)  # what the generator is sent here goes nowhere
        return
    if m.is_silent or type(node.value) in (cst.SimpleString, cst.ConcatenatedString):
        return
    _emit(m, node.value, value, m.log.story[-1:])
    if m.frame.function is None and m.frame.loop is None:
        return  # a notebook may show it
    for part, one in _parts(m, node.value, value):
        _emit(m, part, one, m.log.story[began:], alone=False)


def _parts(m: Interpreter, node: cst.BaseExpression, value: Value) -> Iterator[tuple[cst.BaseExpression, Value]]:
    """The members of a tuple, or the element of a list comprehension, that nobody holds afterwards."""
    held = m.only(value, Container)
    if held is None:
        return
    if type(node) is cst.Tuple and len(node.elements) == len(held.items) > 1:
        yield from ((element.value, one) for element, (_, one) in zip(node.elements, held.items, strict=True))
    elif type(node) is cst.ListComp:
        yield node.elt, held.items[-1][1] if held.items else held.rest


def _emit(m: Interpreter, node: Any, value: Value, story: Sequence[Event], *, alone: bool = True) -> None:
    """Tell that the value of an expression is dropped, with what the story says of how it was computed."""
    if type(node) is cst.Tuple:
        about: dict[str, Any] = {"displayed": _members(m, value)}
    else:
        about = _of_call(m, node, story) or _of_attribute(m, node, value)
    m.emit(events.ResultDiscarded, node, value=m.thing(value), alone=alone, **about)


def _of_call(m: Interpreter, node: cst.BaseExpression, story: Sequence[Event]) -> dict[str, Any]:
    """The callee and the owner of a call; nothing where no event told of one."""
    call = next((one for one in reversed(story) if one.node is node and isinstance(one, Called | ModuleCalled)), None)
    if call is None or type(node) is not cst.Call:
        return {}
    if isinstance(call, ModuleCalled):
        return _of_layer(m, call, node)
    by_function = node.args and call.args and call.name and call.name == spelled(call.callee)
    owner = node.args[0].value if by_function else getattr(node.func, "value", None)
    name = spelled(node.args[0].value) if by_function else call.name
    of = call.args[0] if call.args else UNKNOWN
    return {"of": of, "called": call.path, "name": name, "single": _is_single(m, of, owner, name)}


def _of_attribute(m: Interpreter, node: cst.BaseExpression, value: Value) -> dict[str, Any]:
    looked_up = _compared(node) or node
    if not isinstance(looked_up, cst.Attribute):
        return {}
    owner = value.owner if type(value) is Bound else peek(m, looked_up.value)
    about = {"of": UNKNOWN if owner is None else m.thing(owner), "attribute": looked_up.attr.value}
    return about | {"name": spelled(looked_up.value), "compared": looked_up is not node}


def _of_layer(m: Interpreter, call: ModuleCalled, node: cst.Call) -> dict[str, Any]:
    """The class of a layer of torch, where a `forward` calls it: others may do so for what hooks see."""
    cls, function = call.module.cls, m.frame.function
    if not isinstance(cls, ImportPath) or function is None or function.owner is None or function.name != "forward":
        return {}
    given = spelled(node.args[0].value) if node.args else ""
    return {"of": call.args[0] if call.args else UNKNOWN, "called": cls.path, "name": given, "layer": call.name}


def _is_single(m: Interpreter, thing: Thing, owner: cst.BaseExpression | None, name: str) -> bool:
    """Return whether what is written like this is one tensor of a batch: one of those it is unpacked to or gone over
    for, an item of it, or used as one tensor."""
    if not is_batch(thing):
        return False
    if type(owner) is cst.Subscript or (m.frame.scope.node, name) in m.notes(TakenApart).names:
        return True
    uses = uses_of(m, name)
    return is_tensor(uses) or any(is_operand(m, use) for use in uses)


def _members(m: Interpreter, value: Value) -> tuple[Tensor, ...]:
    """The tensors that are members of a tuple."""
    found = m.only(value, Container)
    return () if found is None else tuple(tensor for _, one in found.items for _, tensor in m.all(one, Tensor))


def _compared(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The left side of `left == right`."""
    if isinstance(node, cst.Comparison) and len(node.comparisons) == 1:
        return node.left if isinstance(node.comparisons[0].operator, cst.Equal) else None
    return None
