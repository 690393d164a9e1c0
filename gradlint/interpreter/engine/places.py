"""Places: what a name, a chain of attributes or a constant subscript holds, without running anything."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint.domain.objects import Class, Container, Instance, Module, with_attribute
from gradlint.domain.refs import Ref
from gradlint.domain.values import Imported, ImportPath, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.static.sites import Site


def peek(m: Interpreter, node: Site) -> Value | None:
    """Return the value of a name, a chain of attributes or a constant subscript, without running anything."""
    if type(node) is cst.Name:
        return variables.lookup(m, node.value)
    if type(node) is cst.Attribute:
        owner = peek(m, node.value)
        thing: Any = m.thing(owner) if owner is not None else None
        return dict(getattr(thing, "attributes", ())).get(node.attr.value)
    if type(node) is cst.Subscript and (key := key_of(node)) is not None:
        owner = peek(m, node.value)
        thing = m.thing(owner) if owner is not None else None
        return dict(thing.items).get(key) if type(thing) is Container else None
    return None


def key_of(node: cst.Subscript) -> object | None:
    """The constant index of an element."""
    part: Any = node.slice[0].slice if len(node.slice) == 1 else None
    if type(part) is cst.Index and isinstance(part.value, (cst.SimpleString, cst.Integer)):
        return part.value.evaluated_value
    return None


def poke(m: Interpreter, node: Site, value: Value) -> None:
    """Let a place hold this value from here on; what is no place is left alone, and so is a place in one of several
    objects that one reference stands for."""
    if type(node) is cst.Name:
        frame: Any = m.frame.declared.get(node.value, m.frame)
        while frame is not None:
            if (frame.id, node.value) in m.state.names:
                m.state.names[frame.id, node.value] = value
                return
            frame = frame.parent
        return
    if not isinstance(node, cst.Attribute | cst.Subscript):
        return
    owner = peek(m, node.value)
    if type(owner) is not Ref:
        return
    thing: Any = m.state.heap.get(owner)
    if not m.is_single(owner, thing):
        return
    if type(node) is cst.Attribute and isinstance(thing, (Module, Instance)):
        m.state.heap[owner] = with_attribute(thing, node.attr.value, value)
    elif type(node) is cst.Subscript and type(thing) is Container:
        items = dict(thing.items) | {key_of(node): value}
        m.state.heap[owner] = replace(thing, items=tuple(items.items()))


def peek_class(m: Interpreter, node: Site) -> str | Ref | None:
    """The class that an expression names: an import path, or a class of the program."""
    path = dotted(node)
    if not path:
        return None
    first, *rest = path.split(".")
    found = variables.lookup(m, first)
    if found is None:
        return path if not rest else None
    while type(found) is Imported and rest:
        found = m.neighbours.attribute(found, rest.pop(0))
    if type(found) is ImportPath:
        return ".".join([found.path, *rest])
    return found if type(found) is Ref and not rest and type(m.state.heap.get(found)) is Class else None
