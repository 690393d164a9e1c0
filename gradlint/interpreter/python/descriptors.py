"""Descriptors of the program: objects that a class holds and that answer for an attribute of its instances."""

from __future__ import annotations

from gradlint.domain.objects import Class, Instance
from gradlint.domain.refs import Ref
from gradlint.domain.values import Bound, Constant, Function, ImportPath, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.sites import Site

BIND = SLOTS[TypeSlot.BIND]


def answered(m: Interpreter, node: Site, owner: Ref, member: Value) -> Value | None:
    """Return the result of the `__get__` of a member of an object's class; None if the member is given itself."""
    method = method_of(m, member, "__get__")
    return None if method is None else call_function(m, node, method, Arguments([member, owner, m[owner].cls]))


def takes(m: Interpreter, member: Value | None) -> Function | None:
    """The method of a member of the class of an object that takes what is set as an attribute of that."""
    return None if member is None else method_of(m, member, "__set__")


def named(m: Interpreter, node: Site, cls: Ref) -> None:
    """Members of a new class get their names."""
    made: Class = m[cls]
    for name, member in made.members:
        if type(m.thing(member)) is Instance and (method := method_of(m, member, "__set_name__")) is not None:
            start = m.push(cls)
            call_function(m, m.part_of(node, f"name {name}"), method, Arguments([member, cls, Constant(name)]))
            m.pop_from(start)


def member_of(m: Interpreter, node: Site, owner: Ref, member: Value, name: str) -> Value:
    """Bind a member of an object's class as an attribute of the object."""
    if type(member) is not Function:
        known: Value | None = BIND[ImportPath](m, node, owner, member) if type(member) is ImportPath else None
        known = answered(m, node, owner, member) if known is None else known
        return member if known is None else known
    if member.kind == "property":
        return call_function(m, node, member, Arguments([owner]))
    if member.kind == "static":
        return member
    return Bound(owner, name, member)
