"""What callers who are not shown hand over: told by annotations, defaults and use."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint.domain import (
    ANY_DTYPE,
    ANY_MODE,
    BOOL,
    NONE_VALUE,
    UNKNOWN,
    UNSURE,
    Belief,
    Const,
    Container,
    Function,
    Instance,
    Module,
    Named,
    Plain,
    Ref,
    Scalar,
    Value,
    one_of,
)
from gradlint.domain.changing import replace
from gradlint.interpreter import declared
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.classes import find_method, instantiate
from gradlint.interpreter.core import Frame, Interpreter
from gradlint.interpreter.functions import new_frame
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
    return instantiate(it, node, cls, args)


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
        it.put(ref, replace(module, mode=ANY_MODE, open=UNSURE, belief=Belief.ANNOTATED))
    for ref, instance in it.all(made, Instance):
        it.put(ref, replace(instance, open=UNSURE, belief=Belief.ANNOTATED))
    return made


def arguments(it: Interpreter, frame: Frame, function: Function, params: list[Any]) -> list[tuple[str, Value]]:
    """What an unknown caller may hand over for each parameter."""
    outer, it.frame = it.frame, frame
    told = {param: param.annotation.annotation for param in params if param.annotation is not None}
    told = told or dict(zip(reversed(params), reversed(declared.commented(function.node)), strict=False))
    out = [(param.name.value, _argument(it, function, param, told.get(param))) for param in params]
    it.frame = outer
    return out


def _argument(it: Interpreter, function: Function, param: cst.Param, annotation: Any) -> Value:
    default = dict(function.defaults).get(param.name.value)
    found = _told(it, param, annotation, default)
    return one_of([found, NONE_VALUE]) if default == NONE_VALUE else found


def _told(it: Interpreter, param: cst.Param, annotation: Any, default: Value | None) -> Value:
    """What the annotation, the use, the default tell of a parameter, in this order."""
    found = declared.value_of(it, param, annotation) if annotation is not None else None
    found = by_use(it, param, param.name.value, "argument") if found is None else found
    if found is None and default is not None:
        found = _like_default(default)
    if found is None and annotation is not None:
        found = declared.library_instance(it, param, annotation)
    return it.new(param, "argument", Instance(belief=Belief.BY_NAME)) if found is None else found


def others(it: Interpreter, frame: Frame, param: cst.Param | None, kind: str) -> list[tuple[str, Value]]:
    """What `*args` and `**kwargs` hold that an unknown caller handed over."""
    if not isinstance(param, cst.Param):
        return []
    outer, it.frame = it.frame, frame
    annotation = param.annotation.annotation if param.annotation is not None else None
    rest = declared.value_of(it, param, annotation) if annotation is not None else None
    it.frame = outer
    thing = Container(kind, rest=UNKNOWN if rest is None else rest, keys=Plain("str"))
    return [(param.name.value, it.new(param, "others", thing))]


def _like_default(default: Value) -> Value | None:
    """What a default tells of what callers hand over: an object stands for itself, a number for any number."""
    if type(default) in (Ref, Function, Named):
        return default
    if type(default) is Const and isinstance(default.value, bool):
        return Scalar(BOOL)
    if type(default) is Const and isinstance(default.value, (int, float, complex)):
        return Scalar(ANY_DTYPE)
    return Plain("str") if type(default) is Const and isinstance(default.value, str) else None
