"""Parameters: what callers who are not shown pass, by annotations, defaults and use."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint.domain.facts import ANY_DTYPE, ANY_MODE, BOOL, UNSURE
from gradlint.domain.objects import Class, Container, Instance, Module, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import number_kind, one_of
from gradlint.domain.values import (
    NONE_VALUE,
    UNKNOWN,
    Constant,
    Function,
    ImportPath,
    PlainObject,
    PythonNumber,
    Unknown,
    Value,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd.hooks import ARRIVING, HandedGradients
from gradlint.interpreter.autograd.tensor import fresh, made_of, unknown_tensor
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import submodules
from gradlint.interpreter.engine.unseen import is_opaque, refine
from gradlint.interpreter.python.classes import instantiate
from gradlint.interpreter.python.functions import new_frame
from gradlint.interpreter.python.mro import ancestry, find_method
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.unknown import annotations as declared
from gradlint.interpreter.unknown.duck_typing import by_usage, function_context
from gradlint.knowledge.python.duck_typing_names import is_criterion
from gradlint.source import parameters_of


def representative(m: Interpreter, node: Site, cls: Ref) -> Value:
    """An instance as `__init__` makes it for arguments nobody knows."""
    method = find_method(m, cls, "__init__")
    args = Arguments(unknown=True)
    start = m.push(cls)
    if method is not None and method.owner is not None:
        frame = new_frame(m, ("alone", method.node), method)
        params = method.node.params
        plain = [*params.posonly_params, *params.params][1:]
        m.push(*(value for _, value in arguments(m, frame, method, plain)))
        args.keywords = dict(arguments(m, frame, method, list(params.kwonly_params)))
        args.unknown = type(params.star_arg) is cst.Param or params.star_kwarg is not None
    held, *args.positional = m.pop_from(start)
    made = instantiate(m, node, held, args)  # type: ignore[arg-type]
    for ref in submodules(m, made):
        m.store(ref, replace(m[ref], mode=ANY_MODE))
    return made


@implements(TypeSlot.ANNOTATED, Class)
def annotated_instance(m: Interpreter, node: Site, cls: Ref) -> Value:
    """An instance of a class of the program that somebody else made: built as usual, in a mode nobody knows."""
    key = (m.classes_by_ref(cls), "annotated")
    if key in m.calls.building or cls not in m.state.heap:
        return m.new(node, "annotated", Instance(cls=cls, open=UNSURE, belief=Belief.ANNOTATED))
    m.calls.building.append(key)
    with m.log.silently():
        made = representative(m, m.part_of(node, "annotated"), cls)
    m.calls.building.pop()
    for ref, module in m.all(made, Module):
        m.store(ref, replace(module, open=UNSURE, belief=Belief.ANNOTATED))
    for ref, instance in m.all(made, Instance):
        m.store(ref, replace(instance, open=UNSURE, belief=Belief.ANNOTATED))
    return made


def arguments(m: Interpreter, frame: Frame, function: Function, params: list[Any]) -> list[tuple[str, Value]]:
    """Return the possible arguments of an unknown caller for each parameter."""
    outer = m.frame
    m.switch(frame)
    annotations = {param: param.annotation.annotation for param in params if param.annotation is not None}
    annotations = annotations or dict(zip(reversed(params), reversed(declared.commented(function.node)), strict=False))
    told = SLOTS[TypeSlot.HANDED][Function](m, function, params)
    start = m.push()
    for param in params:
        name = param.name.value
        m.push(told[name] if name in told else _argument(m, function, param, annotations.get(param)))
    out = [(param.name.value, value) for param, value in zip(params, m.pop_from(start), strict=True)]
    m.switch(outer)
    return out


@implements(TypeSlot.LEARN_ARGUMENTS, Function)
def refine_parameters(m: Interpreter, frame: Frame, function: Function) -> None:
    """Let annotations and use show what is not known of the arguments of a call."""
    names = m.state.names
    for param in parameters_of(function.node.params):
        value = names.get((frame.id, param.name.value))
        some = value if type(value) is Ref and is_opaque(m.state.heap.get(value)) else None
        if type(value) is Unknown or some is not None:
            outer = m.frame
            m.switch(frame)
            told = _told(m, param, value if type(value) is Unknown else UNKNOWN)
            m.switch(outer)
            if some is None:
                names[frame.id, param.name.value] = told
            elif type(told) is Ref:
                refine(m, some, told)


def _told(m: Interpreter, param: cst.Param, value: Unknown) -> Value:
    """Return the evidence of annotation and use for a value that is not known."""
    told = None
    if param.annotation is not None:
        told = declared.value_of(m, param, param.annotation.annotation)
    if told is None:
        told = by_usage(m, param, param.name.value, reach=value.reach)
    return value if told is None else grown(m, told, value.reach)


MOST_RESULTS = 12
"""The most results of functions that are built as one annotation says, which names a network of the program."""


class AnnotatedResults(dict[str, int]):
    """The annotations of results by which networks of the program were built, as they are written, and how often."""


@implements(TypeSlot.LEARN_RESULT, Function)
def returned(m: Interpreter, node: Site, function: Function, value: Value) -> Value:
    """Return the result of a function; where that is not known, what its annotation says."""
    if type(value) is not Unknown or getattr(function.node, "returns", None) is None or function.generator:
        return value
    place, annotation = m.part_of(node, "returned"), function.node.returns.annotation
    known, kind = m.notes(AnnotatedResults), spelled(annotation)
    if known.get(kind, 0) >= MOST_RESULTS:
        m.log.exceeded("annotated results")
        return value
    told, (now,) = m.keeping(lambda: declared.value_of(m, place, annotation), value)
    module = None if told is None else m.only(told, Module)
    if kind and module is not None and type(module.cls) is Ref:
        known[kind] = known.get(kind, 0) + 1
    return value if told is None else grown(m, told, now.reach)


def grown(m: Interpreter, told: Value, reach: tuple[Ref, ...]) -> Value:
    """A value of which the kind is known, made of what went into it."""
    for ref, tensor in m.all(told, Tensor) if reach else ():
        history, memories = made_of(m, reach)
        m.state.heap[ref] = replace(
            tensor,
            node=tuple(dict.fromkeys((*tensor.node, *history))),
            storage=tuple(dict.fromkeys((*tensor.storage, *memories))),
        )
    return told


def _argument(m: Interpreter, function: Function, param: cst.Param, annotation: Any) -> Value:
    default = dict(function.defaults).get(param.name.value)
    found = _told_of(m, function, param, annotation, default)
    if type(found) is PythonNumber and default is not None and (kind := number_kind(default)) is not None:
        return PythonNumber(found.dtype | kind, whole=found.whole)  # the default holds, whatever the annotation says
    return one_of([found, NONE_VALUE]) if default == NONE_VALUE else found


def _told_of(m: Interpreter, function: Function, param: cst.Param, annotation: Any, default: Value | None) -> Value:
    """Return the first evidence for a parameter: that a hook is passed it, annotation, autograd, use, or default."""
    told: Value | None = _of_hook(m, function, param)
    if told is not None:
        return told
    told = declared.value_of(m, param, annotation) if annotation is not None else None
    if told is not None:
        return _as_used(m, param, told)
    found = _of_function(m, function, param)
    if found is not None:
        return found
    found = by_usage(m, param, param.name.value)
    if found is not None:
        return found
    if default is not None and (told := _like_default(default)) is not None:
        return told
    return _anything(m, param)


def _anything(m: Interpreter, param: cst.Param) -> Ref:
    """An argument of which nothing is known but the name of its parameter."""
    return m.new(param, "argument", Instance(belief=Belief.FROM_NAME))


def others(m: Interpreter, frame: Frame, param: Any, kind: str) -> list[tuple[str, Value]]:
    """Return the contents of `*args` and `**kwargs` that an unknown caller passed in."""
    if not isinstance(param, cst.Param):
        return []
    outer = m.frame
    m.switch(frame)
    annotation = param.annotation.annotation if param.annotation is not None else None
    rest = declared.value_of(m, param, annotation) if annotation is not None else None
    m.switch(outer)
    thing = Container(kind, rest=UNKNOWN if rest is None else rest, keys=PlainObject("str"))
    return [(param.name.value, m.new(param, "others", thing))]


def _of_function(m: Interpreter, function: Function, param: cst.Param) -> Ref | None:
    """Return the arguments of a custom function's methods by autograd: first a context, and gradients to `backward`."""
    cls = m.defined.classes.get(function.owner)
    if function.kind != "static" or function.name not in OF_FUNCTIONS or cls is None:
        return None
    if not any(type(one) is ImportPath and one.path in FUNCTIONS for one in ancestry(m, cls)):
        return None
    params = function.node.params
    if param is [*params.posonly_params, *params.params][0]:
        return function_context(m, param, "argument", Belief.ANNOTATED)
    return unknown_tensor(m, param, "argument", Belief.ANNOTATED) if function.name == "backward" else None


def _of_hook(m: Interpreter, function: Function, param: cst.Param) -> Ref | None:
    """Return the argument of a tensor's hook in backward: a gradient."""
    position = m.notes(HandedGradients).get(function.node)
    params = parameters_of(function.node.params)
    if position is None or param not in params[position : position + 1]:
        return None
    return fresh(m, param, "argument", made=ARRIVING, requires_grad=UNSURE, leaf=UNSURE, belief=Belief.ANNOTATED)


ANY_MODULE = ImportPath("torch.nn.Module")
FUNCTIONS = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})
OF_FUNCTIONS = frozenset({"forward", "backward", "setup_context"})


def _as_used(m: Interpreter, param: cst.Param, told: Value) -> Value:
    """An object of a library's class, by its use a module or an optimizer; arrays of others look like tensors. What is
    declared to be some module and called a criterion is one: that computes its loss by no parameters of its own."""
    cls = getattr(m.thing(told), "cls", None)
    if cls == ANY_MODULE and is_criterion(param.name.value):
        return _anything(m, param)
    if type(cls) is not ImportPath or m.may_be(told, Module):
        return told
    used = by_usage(m, param, param.name.value)
    return told if used is None or m.may_be(used, Tensor) else used


def _like_default(default: Value) -> Value | None:
    """Return an argument like a default: an object stands for itself, a number for any number."""
    if type(default) in (Ref, Function, ImportPath):
        return default
    if type(default) is Constant and isinstance(default.value, bool):
        return PythonNumber(BOOL)
    if type(default) is Constant and isinstance(default.value, (int, float, complex)):
        return PythonNumber(ANY_DTYPE, whole=type(default.value) is int)
    return PlainObject("str") if type(default) is Constant and isinstance(default.value, str) else None
