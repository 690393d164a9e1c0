"""Modules as Python sees them: what calling one, a method or an attribute of one gives."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain import Module, Value, one_of
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import MODELS, TypeSlot, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.nn import module_calls, module_containers
from gradlint.interpreter.nn.module_calls import as_torch, run
from gradlint.interpreter.nn.module_methods import APPLYING, METHODS


@implements(TypeSlot.CALL, Module)
@implements(TypeSlot.CALL_ALL, Module)
def _call(it: Interpreter, node: Any, owner: Value, args: Arguments, name: str) -> Value:
    return module_calls.call(it, node, owner, args, "call", name)


@implements(TypeSlot.CALL_DEFINED, Module)
def _call_defined(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value | None:
    applies = method in APPLYING and it.only(owner, Module) is not None
    return _applied(it, node, owner, method, args, name) if applies else None


@implements(TypeSlot.CALL_INHERITED, Module)
def _call_inherited(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments) -> Value | None:
    """What the class of torch makes of a method that a class of the program defines anew."""
    if method == "forward":
        return one_of([as_torch(it, node, ref, args) for ref, _ in it.all(owner, Module)])
    if method == "__call__":
        return one_of([run(it, node, ref, args, "forward") for ref, _ in it.all(owner, Module)])
    known = METHODS.get(method)
    return None if known is None else known(it, node, owner, args)


def _applied(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    """`module.forward(x)` and `module.__call__(x)`, written so or taken off the module before."""
    func = getattr(node, "func", None)
    written = type(func) is cst.Attribute and func.attr.value == method
    how = "call" if method == "__call__" else "forward" if written else "held"
    return module_calls.call(it, node, owner, args, how, name.rpartition(".")[0] if written else name)


@implements(TypeSlot.CALL_METHOD, Module)
def _call_method(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value | None:
    chain = name.rpartition(".")[0]
    if method in APPLYING:
        return _applied(it, node, owner, method, args, name)
    wrapper = it.only(owner, Module)
    if wrapper is not None and (special := MODELS.get(f"{wrapper.holder}.{method}")) is not None:
        return special(it, node, args.with_first(owner))
    known = METHODS.get(method)
    if known is None:
        return module_containers.call_method(it, node, owner, method, args)
    shown = it.thing(owner)
    result = known(it, node, owner, args)
    if not it.unheard:
        it.emit(
            events.Called,
            node,
            path=f"torch.nn.Module.{method}",
            args=(shown, *(it.thing(v) for v in args.positional)),
            keywords=tuple((key, it.thing(v)) for key, v in args.keywords.items()),
            result=it.thing(result),
            name=chain,
        )
    return result
