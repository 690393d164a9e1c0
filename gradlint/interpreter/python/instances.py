"""Instances: calling them, and their methods."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradlint.domain import Class, Instance, Named, Ref, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_named, call_one, plain_method
from gradlint.interpreter.engine.dispatch import CALLED, SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.machine import MOST_CALLS_DEEP, STEPS, Interpreter
from gradlint.interpreter.engine.unseen import call_unknown
from gradlint.interpreter.python.foreign import foreign_made
from gradlint.interpreter.python.mro import find_member


@implements(TypeSlot.CALL, Instance)
def _call(it: Interpreter, node: Any, ref: Ref, args: Arguments, name: str) -> Value | None:
    """An object is called: by the method of its class, or as its library says."""
    thing: Instance = it[ref]
    called = CALLED.get(thing.cls.path) if type(thing.cls) is Named else None
    if called is not None:
        otherwise = partial(call_unknown, it, node, [ref, *args.values()])
        return _call_known(it, ref, lambda: called(it, node, thing, args), otherwise)
    method = find_member(it, thing.cls, "__call__")
    if method is None:
        found: Value | None = SLOTS[TypeSlot.CALL_INHERITED][Class](it, node, ref, "__call__", args)
        return foreign_made(it, node, ref) if found is None else found
    return call_one(it, node, method, args.with_first(ref), name)


def _call_known(it: Interpreter, ref: Value, run: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
    """What an object gives that may call what it holds; one that was wrapped in a loop holds itself."""
    it.steps_left -= 1
    if len(it.running) >= MOST_CALLS_DEEP or it.steps_left <= 0:
        it.hit("depth of calls" if it.steps_left > 0 else STEPS)
        return otherwise()
    return it.once(ref, run, otherwise)


@implements(TypeSlot.CALL_METHOD, Instance)
def _call_method(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    """A method of an object whose class is known by its import path."""
    instance = it.only(owner, Instance)
    if instance is None or type(instance.cls) is not Named:
        return plain_method(it, node, owner, method, args)
    return call_named(it, node, f"{instance.cls.path}.{method}", args.with_first(owner), name)
