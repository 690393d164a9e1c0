"""What callers who are not shown hand over: told by annotations, defaults and use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import libcst as cst

from gradlint.domain import (
    ANY_DTYPE,
    ANY_MODE,
    BOOL,
    UNSURE,
    Belief,
    Const,
    Function,
    Instance,
    Module,
    Named,
    Plain,
    Ref,
    Scalar,
    Value,
)
from gradlint.interpreter import declared
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.autograd_functions import given_by_torch
from gradlint.interpreter.classes import find_method, instantiate
from gradlint.interpreter.core import Frame, Interpreter
from gradlint.interpreter.functions import new_frame
from gradlint.interpreter.modules import submodules
from gradlint.interpreter.uses import by_use


def typical_instance(it: Interpreter, node: Any, cls: Ref) -> Value:
    """An instance as `__init__` makes it for arguments nobody knows."""
    method = find_method(it, cls, "__init__")
    args = Arguments(unknown=True)
    if method is not None and method.owner is not None:
        frame = new_frame(it, ("alone", method.node), method)
        params = method.node.params
        plain = [*params.posonly_params, *params.params][1:]
        args.positional = [value for _, value in arguments(it, frame, method, plain)]
        args.keywords = dict(arguments(it, frame, method, list(params.kwonly_params)))
        args.unknown = False
    made = instantiate(it, node, cls, args)
    for ref in submodules(it, made):
        it.put(ref, replace(it[ref], mode=ANY_MODE))
    return made


def annotated_instance(it: Interpreter, node: Any, cls: Ref) -> Value:
    """An instance of a class of the program that somebody else made: built as usual, in a mode nobody knows."""
    key = (it.classes_by_ref(cls), "annotated")
    if key in it.building or cls not in it.state.heap:
        return it.new(node, "annotated", Instance(cls=cls, open=UNSURE, belief=Belief.ANNOTATED))
    it.building.append(key)
    with it.silently():
        made = typical_instance(it, it.place_of(node, "annotated"), cls)
    it.building.pop()
    for ref, module in it.all(made, Module):
        it.put(ref, replace(module, open=UNSURE, belief=Belief.ANNOTATED))
    for ref, instance in it.all(made, Instance):
        it.put(ref, replace(instance, open=UNSURE, belief=Belief.ANNOTATED))
    return made


def arguments(it: Interpreter, frame: Frame, function: Function, params: list[Any]) -> list[tuple[str, Value]]:
    """What an unknown caller may hand over for each parameter."""
    outer, it.frame = it.frame, frame
    known = given_by_torch(it, function, [param.name.value for param in params])
    out: list[tuple[str, Value]] = []
    for param in params:
        name = param.name.value
        out.append((name, known[name] if name in known else _argument(it, function, param)))
    it.frame = outer
    return out


def _argument(it: Interpreter, function: Function, param: cst.Param) -> Value:
    name = param.name.value
    if param.annotation is not None:
        told = declared.value_of(it, param, param.annotation.annotation)
        if told is not None:
            return told
    found = by_use(it, param, name, "argument")
    if found is not None:
        return found
    default = dict(function.defaults).get(name)
    if default is not None and (told := _like_default(default)) is not None:
        return told
    return it.new(param, "argument", Instance(belief=Belief.BY_NAME))


def _like_default(default: Value) -> Value | None:
    """What a default tells of what callers hand over: an object stands for itself, a number for any number."""
    if type(default) in (Ref, Function, Named):
        return default
    if type(default) is Const and isinstance(default.value, bool):
        return Scalar(BOOL)
    if type(default) is Const and isinstance(default.value, (int, float, complex)):
        return Scalar(ANY_DTYPE)
    return Plain("str") if type(default) is Const and isinstance(default.value, str) else None
