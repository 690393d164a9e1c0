"""Assignment to every form of target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import MAYBE, NO, YES, Truth
from gradlint.domain.objects import Container, Instance, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NOTHING, UNKNOWN, Unknown, Value
from gradlint.interpreter.autograd.batches import note_taken_apart
from gradlint.interpreter.autograd.in_place import lasting_holders
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot
from gradlint.interpreter.engine.escape import escape_graphs, havoc
from gradlint.interpreter.engine.iteration import SEQUENCES, consume, elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.nn.kept_modules import emit_kept
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.attribute_store import Written, set_attribute
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.rebinding import rebindings
from gradlint.interpreter.static.scopes import dotted, spelled
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.syntax import receivers
from gradlint.interpreter.syntax.subscripts import index_value
from gradlint.interpreter.unknown.duck_typing import kind_from_usage

SET_ITEM: dict[type, Callable[..., None]] = SLOTS[TypeSlot.SET_ITEM]


def assign(m: Interpreter, node: Site, target: Any, value: Value) -> Value:
    """Give a target a value; the value as it is known afterwards."""
    if isinstance(target, cst.Name):
        value = kind_from_usage(m, target, value, target.value, _given(node))
        if m.frame.loop is not None and not m.is_silent:
            emit_rebound(m, node, target, value)
            emit_kept(m, node, target, value, _given(node))
        variables.bind(m, target.value, value)
    elif isinstance(target, (cst.Tuple, cst.List)):
        _unpack(m, target, value)
    elif isinstance(target, cst.StarredElement):
        assign(m, node, target.value, value)
    elif isinstance(target, cst.Attribute):
        owner, (value,) = m.keeping(lambda: m.value(target.value), value)
        receivers.note(m, target, owner)
        chain = dotted(target.value)
        value = kind_from_usage(m, target, value, f"{chain}.{target.attr.value}" if chain else "", _given(node))
        whole = node if type(node) is cst.Assign and [one.target for one in node.targets] == [target] else None
        written = Written(spelled(target.value), is_own(m, owner), _given(node), whole)
        set_attribute(m, target, owner, target.attr.value, value, written)
        emit_kept(m, node, target, value, _given(node))
    elif isinstance(target, cst.Subscript):
        _set_item(m, target, value)
    return value


def _given(node: Site) -> Any:
    """The expression that an assignment gives to its targets, if that is what it is."""
    return node.value if isinstance(node, cst.Assign | cst.AnnAssign) else None


def is_own(m: Interpreter, owner: Value) -> bool:
    """Return whether the owner is `self` of the method that runs."""
    function = m.frame.function
    if function is None or function.owner is None:
        return False
    params = [*function.node.params.posonly_params, *function.node.params.params]
    return bool(params) and m.state.names.get((m.frame.id, params[0].name.value)) == owner


def _unpack(m: Interpreter, target: Any, value: Value) -> None:
    elements = target.elements
    start = m.push(value)
    stars = [index for index, element in enumerate(elements) if type(element) is cst.StarredElement]
    if stars:
        values = _unpack_starred(m, target, value, stars[0])
    else:
        values = containers.unpacked(m, target, value, len(elements))
    consume(m, target, m.state.stack[start], "unpacking")
    m.push(*values)
    for index, element in enumerate(elements):
        note_taken_apart(m, m.state.stack[start + 1 + index], element.value)
        assign(m, element, element.value, m.state.stack[start + 1 + index])
    m.pop_from(start)


def _unpack_starred(m: Interpreter, target: Any, value: Value, star: int) -> list[Value]:
    """`first, *rest, last = value`: the values for each target."""
    thing, count = m.only(value, Container), len(target.elements)
    if thing is not None and thing.kind in SEQUENCES and thing.rest == NOTHING and len(thing.items) >= count - 1:
        known = [element for _, element in thing.items]
        behind = len(known) - (count - 1 - star)
        rest = containers.container(m, target, "list", known[star:behind], "starred")
        return [*known[:star], rest, *known[behind:]]
    whole = elements(m, target, value)
    values: list[Value] = [whole for _ in target.elements]
    values[star] = m.new(target, "starred", Container("list", rest=whole))
    return values


def _set_item(m: Interpreter, target: cst.Subscript, value: Value) -> None:
    """`owner[index] = value`."""
    start = m.push(value, m.value(target.value))
    index = index_value(m, target)
    value, owner = m.pop_from(start)[:2]
    set_item(m, target, owner, index, value)


def set_item(m: Interpreter, target: cst.Subscript, owner: Value, index: Value, value: Value) -> None:
    """An element of something is given another value."""
    for kind, store in SET_ITEM.items():
        if m.may_be(owner, kind):
            store(m, target, owner, index, value)
    if any(type(option) is Unknown for option in alternatives(owner)):
        escape_graphs(m, [value])
    method = method_of(m, owner, "__setitem__")
    if method is not None:
        call_function(m, target, method, Arguments([owner, index, value]))
    elif type(m.thing(owner)) is Instance:
        havoc(m, [value])
    if type(owner) is Unknown and owner != UNKNOWN:
        havoc(m, [owner])


def emit_rebound(m: Interpreter, node: Site, target: cst.Name, value: Value) -> None:
    """A name inside a loop is about to be bound to another tensor."""
    old = variables.held(m, (m.frame.declared.get(target.value, m.frame).id, target.value))
    if old is None or not m.may_be(old, Tensor) or m.only(value, Tensor) is None:
        return
    rebinding = rebindings(m.frame.scope).get(target)
    if rebinding is None:
        return
    gradients = {ref for _, tensor in m.all(value, Tensor) for ref in tensor.grad_of}
    gone = rebinding.looped and not rebinding.read
    m.emit(
        events.NameRebound,
        node,
        name=target.value,
        value=m.thing(value),
        old=m.thing(old),
        read=rebinding.read,
        looped=rebinding.looped,
        updates=all(type(option) is Ref and option in gradients for option in alternatives(old)),
        same=_same(old, value),
        holders=lasting_holders(m, [ref for ref, _ in m.all(old, Tensor)]) if gone else (),
        target=target,
        statement=node if type(node) is cst.Assign and [one.target for one in node.targets] == [target] else None,
        element=rebinding.element,
    )


def _same(old: Value, value: Value) -> Truth:
    """Return whether the name is bound to the object it held."""
    found = [option in alternatives(old) for option in alternatives(value)]
    return YES if all(found) else MAYBE if any(found) else NO
