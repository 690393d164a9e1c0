"""Definitions: functions and classes, and what decorators make of them."""

from __future__ import annotations

import libcst as cst

from gradlint.domain.facts import UNSURE
from gradlint.domain.objects import Class
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import Context, Function, ImportPath, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.dispatch import executes
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import may_switch_grad_mode
from gradlint.interpreter.libraries import pack_calls
from gradlint.interpreter.python.attribute_store import deleter_of, setter_of
from gradlint.interpreter.python.classes import define
from gradlint.interpreter.python.functions import make_function
from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.static.sites import Site


@executes(cst.FunctionDef)
def function(m: Interpreter, node: cst.FunctionDef) -> None:
    owner = m.frame.scope.node if type(m.frame.scope.node) is cst.ClassDef else None
    made = make_function(m, node, node.name.value, owner)
    value: Value = made
    for decorator in reversed(node.decorators):
        mode, m.blocks.entering = m.state.modes, decorator.decorator
        found = m.value(decorator.decorator)
        m.state.modes = mode
        value = decorated(m, decorator.decorator, value, found)
        made = value if type(value) is Function and value.node is node else with_decorator(made, found)
    if node in m.defined.functions:
        m.defined.functions[node] = made
    variables.bind(m, made.name, value)


def with_decorator(function: Function, decorator: Value) -> Function:
    """The function with one more decorator."""
    return replace(function, decorators=(*function.decorators, decorator))


KINDS = {
    "builtins.staticmethod": "static",
    "builtins.classmethod": "class",
    "builtins.property": "property",
    "functools.cached_property": "property",
    "abc.abstractproperty": "property",
}
KEEPING = tuple(
    "functools. abc. typing. typing_extensions. builtins. contextlib. warnings. pytest. numba. torch.jit. "
    "torch.compile torch.autograd.function. torch.autocast torch.amp. torch.cuda.amp. torch.cpu.amp.".split()
)
"""The origins of decorators that run the function as it is, in the mode they are called in."""


def decorated(m: Interpreter, node: Site, value: Value, decorator: Value) -> Value:
    """Return the result of decorating a function."""
    if type(value) is not Function:
        return value
    if (made := _made_by(m, node, value, decorator)) is not None:
        return made
    path = _path_of(m, node, decorator)
    value = with_decorator(value, ImportPath(path) if path else decorator)
    if type(decorator) is Context:
        return replace(value, modes=(decorator, *value.modes))
    if type(decorator) is ImportPath:
        if decorator.path in KINDS:
            return replace(value, kind=KINDS[decorator.path])
        row = m.torch.contexts.get(decorator.path)
        if row is not None:
            made = call_value(m, node, decorator, Arguments(), "")
            return replace(value, modes=(made, *value.modes)) if type(made) is Context else value
    if path.startswith(KEEPING):
        return value
    if dotted(node).endswith(".getter"):
        return replace(value, kind="property")
    if dotted(node).endswith((".setter", ".deleter")):
        named = setter_of if dotted(node).endswith(".setter") else deleter_of
        return replace(value, name=named(value.name))
    m.defined.escaped[value.node] = None
    if may_switch_grad_mode(node):
        return replace(value, modes=(Context("decorator", UNSURE), *value.modes))
    return replace(value, assumed=True)


def _path_of(m: Interpreter, node: Site, decorator: Value) -> str:
    """The import path of a decorator, with or without arguments."""
    if isinstance(node, cst.Call):
        decorator = m.value(node.func)
    return decorator.path if type(decorator) is ImportPath else ""


def _made_by(m: Interpreter, node: Site, value: Value, decorator: Value) -> Value | None:
    """Return the result of a decorator that the program or a pack defines; None where it is not known."""
    of_program = type(decorator) is Function or m.may_be(decorator, Class)
    if not of_program and not pack_calls.speaks_of(m, decorator):
        return None
    made = call_value(m, m.part_of(node, "decorator"), decorator, Arguments([value]), "")
    return None if any(type(option) is Unknown for option in alternatives(made)) or not m.state.live else made


@executes(cst.ClassDef)
def class_(m: Interpreter, node: cst.ClassDef) -> None:
    start = m.push(*m.values([decorator.decorator for decorator in node.decorators]))
    value: Value = define(m, node)
    for decorator in reversed(m.pop_from(start)):
        start = m.push(value)
        made = _made_by(m, node, value, decorator)
        value = m.pop_from(start)[0] if made is None else made
    variables.bind(m, node.name.value, value)
