"""Recursion over nested things: a function that calls itself for a part of what it was given goes down, and ends."""

from __future__ import annotations

from collections.abc import Iterable

from gradlint.domain.objects import Container, Instance, Module
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import Function, Unknown, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.iteration import element_list
from gradlint.interpreter.engine.machine import Interpreter

MOST_CALLS_DEEP = 8
"""The most calls of functions of the program that are followed into each other."""
MOST_DESCENTS = 4
"""The most times that a function is followed into itself while it goes down."""


def descends(m: Interpreter, function: Function, args: Arguments) -> bool:
    """Return whether some argument is a part of what the call was given that is running, or a shorter sequence."""
    frame: Frame | None = m.frame
    while frame is not None and (frame.function is None or frame.function.node is not function.node):
        frame = frame.caller
    if frame is None:
        return False
    params = function.node.params
    names = [param.name.value for param in (*params.posonly_params, *params.params, *params.kwonly_params)]
    given = [m.state.names[frame.id, name] for name in names if (frame.id, name) in m.state.names]
    parts = _parts(m, given)
    inside = {part for part in parts | _parts(m, parts) if part not in given}
    if parts and any(all(_is_lower(m, one, inside) for one in alternatives(value)) for value in args.values()):
        return True
    longest = max((length for value in given if (length := _length(m, value)) is not None), default=0)
    return any((length := _length(m, value)) is not None and length < longest for value in args.values())


def _is_lower(m: Interpreter, value: Value, inside: set[Value]) -> bool:
    """Return whether a value is one of these parts, or has no parts itself."""
    thing = m.state.heap.get(value) if type(value) is Ref else value
    return type(thing) is not Unknown and (value in inside or not isinstance(thing, (Container, Module, Instance)))


def _length(m: Interpreter, value: Value) -> int | None:
    known = element_list(m, value)
    return None if known is None else len(known)


def _parts(m: Interpreter, values: Iterable[Value]) -> dict[Value, None]:
    """Return the values directly inside containers and objects."""
    out: dict[Value, None] = {}
    for value in values:
        for option in alternatives(value):
            thing = m.state.heap.get(option) if type(option) is Ref else None
            if type(thing) is Container:
                found = [*thing.held]
            elif isinstance(thing, (Module, Instance)):
                found = [part for _, part in thing.attributes]
            else:
                continue
            out |= {part: None for whole in found for part in alternatives(whole)}
    return out
