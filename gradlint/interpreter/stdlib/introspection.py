"""Functions by which a program looks at itself: attributes by name, classes of things, the grad mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint.domain.facts import BOOL, NO, YES, Truth
from gradlint.domain.objects import MOST_ITEMS, Container
from gradlint.domain.refs import ASTRAY
from gradlint.domain.value_sets import one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, PythonNumber, Unknown, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, models
from gradlint.interpreter.engine.escape import escape_graphs, havoc, result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.attribute_load import get_attribute
from gradlint.interpreter.python.attribute_store import set_attribute, set_past_class
from gradlint.interpreter.python.classes import super_of
from gradlint.interpreter.python.dynamic_attributes import (
    delete_by_name,
    got_somewhere,
    holders,
    names_of,
    set_somewhere,
)
from gradlint.interpreter.python.instances import attributes_of
from gradlint.interpreter.python.isinstance_checks import is_instance
from gradlint.interpreter.python.mro import class_of
from gradlint.interpreter.static.sites import Site


def _answer(fact: Truth) -> Value:
    return Constant(fact is YES) if fact in (YES, NO) else PythonNumber(BOOL)


@models("builtins.isinstance")
def _isinstance(m: Interpreter, node: Site, args: Arguments) -> Value:
    if len(args.positional) < 2:
        return PythonNumber(BOOL)
    return _answer(is_instance(m, args.positional[0], args.positional[1]))


# ---- attributes by name


HAS: dict[type, Callable[[Interpreter, Any, str], Truth]] = SLOTS[TypeSlot.HAS_ATTRIBUTE]


def has(m: Interpreter, owner: Value, name: str) -> Truth:
    """Return whether an object has an attribute: an attribute that some path set need not be there on another."""
    thing = m.thing(owner)
    of_kind = HAS.get(type(thing))
    return Truth.unsure() if of_kind is None else of_kind(m, thing, name)


@models("builtins.getattr")
def _getattr(m: Interpreter, node: Site, args: Arguments) -> Value:
    names = names_of(args.get("name", 1, UNKNOWN))
    if len(args.positional) < 2:
        return result_of_unknown(args.positional[:1])
    if names is None:
        return one_of([got_somewhere(m, *args.positional[:2]), *args.positional[2:]], MOST_ITEMS)
    start, found = m.push(*args.positional), []
    for name in names:
        owner, default = m.state.stack[start], m.state.stack[start + 2 : start + 3]
        there = has(m, owner, name)
        if there is not NO or not default:
            found.append(get_attribute(m, node, owner, name, "", guard=True))
        found += [] if there is YES else default
    m.pop_from(start)
    return one_of(found)


@models("builtins.hasattr")
def _hasattr(m: Interpreter, node: Site, args: Arguments) -> Value:
    names = names_of(args.get("name", 1, UNKNOWN))
    if names is None or len(names) != 1:
        return PythonNumber(BOOL)
    return _answer(has(m, args.positional[0], names[0]))


Setting = Callable[[Interpreter, Any, Value, str, Value], None]
"""The function that sets an attribute of an object."""

models("builtins.setattr")(lambda m, node, args: _set_by_name(m, node, args, set_attribute))
models("builtins.object.__setattr__")(lambda m, node, args: _set_by_name(m, node, args, set_past_class))


def _set_by_name(m: Interpreter, node: Site, args: Arguments, setting: Setting) -> Value:
    if len(args.positional) < 3:
        return NONE_VALUE
    owner, name, value = args.positional[:3]
    names = names_of(name)
    if names is None:
        if not holders(m, owner):
            havoc(m, [owner])
        set_somewhere(m, owner, name, value)
        escape_graphs(m, [value])
        return NONE_VALUE
    start, after = m.push(owner, value), []
    for one in names:
        before = m.fork()
        held = m.state.stack[start : start + 2]
        setting(m, node, held[0], one, held[1])
        after.append(m.state)
        m.state = before
    m.join(after)
    m.pop_from(start)
    return NONE_VALUE


models("builtins.delattr")(lambda m, node, args: _delete_by_name(m, node, args, by_class=True))
models("builtins.object.__delattr__")(lambda m, node, args: _delete_by_name(m, node, args, by_class=False))


def _delete_by_name(m: Interpreter, node: Site, args: Arguments, *, by_class: bool) -> Value:
    delete_by_name(m, node, args.positional[0], args.get("name", 1, UNKNOWN), by_class=by_class)
    return NONE_VALUE


models("builtins.vars")(
    lambda m, node, args: attributes_of(m, node, args.positional[0]) if args.positional else UNKNOWN
)


@models("builtins.locals")
def _names_here(m: Interpreter, node: Site, args: Arguments) -> Value:
    held = {name: value for (frame, name), value in m.state.names.items() if frame == m.frame.id}
    return m.new(node, "names", Container("dict", items=tuple(held.items())))


@models("builtins.globals", "builtins.eval")
def _anything(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Something that may be made of all that the program has."""
    havoc(m, args.values())
    return Unknown((ASTRAY,))


# ---- classes


models("builtins.super")(lambda m, node, args: super_of(m, args))


@models("builtins.type")
def _type(m: Interpreter, node: Site, args: Arguments) -> Value:
    if len(args.positional) != 1:
        return UNKNOWN
    return class_of(m, args.positional[0])


# ---- modes


@models("torch.is_grad_enabled")
def _is_grad_enabled(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Return the grad mode; where nobody was seen to call, gradients are on by assumption only."""
    return PythonNumber(BOOL) if m.assumed_mode and m.state.grad_mode is YES else _answer(m.state.grad_mode)


models("torch.is_inference_mode_enabled")(
    lambda m, node, args: (
        PythonNumber(BOOL) if m.assumed_mode and m.state.inference is NO else _answer(m.state.inference)
    )
)
