"""Descriptors of the program: objects that a class holds and that answer for an attribute of its instances."""

from __future__ import annotations

from typing import Any

from gradlint.domain import Class, Const, Function, Instance, Ref, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of


def answered(it: Interpreter, node: Any, owner: Ref, member: Value) -> Value | None:
    """What a member of the class of an object gives as an attribute of that; None if it is given itself."""
    method = method_of(it, member, "__get__")
    return None if method is None else call_function(it, node, method, Arguments([member, owner, it[owner].cls]))


def takes(it: Interpreter, member: Value | None) -> Function | None:
    """The method of a member of the class of an object that takes what is set as an attribute of that."""
    return None if member is None else method_of(it, member, "__set__")


def named(it: Interpreter, node: Any, cls: Ref) -> None:
    """Members of a class that was made are told their names."""
    made: Class = it[cls]
    for name, member in made.members:
        if type(it.thing(member)) is Instance and (method := method_of(it, member, "__set_name__")) is not None:
            start = it.hold(cls)
            call_function(it, it.place_of(node, f"name {name}"), method, Arguments([member, cls, Const(name)]))
            it.land(start)
