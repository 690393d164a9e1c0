"""Functions of the program that a library calls: the modes they run in, and what they are passed.

A class that derives from a library's class defines methods which the library calls (`validation_step`), and functions
are passed to its objects. Rows of packs say how that happens; everybody else who may call them is not shown, so it
is what holds when they run on their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gradlint.domain.facts import ANY_GRAD
from gradlint.domain.objects import Container, Instance, Module, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, Function, ImportPath, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd import backward as differentiating
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters, submodules
from gradlint.interpreter.libraries import pack_results
from gradlint.interpreter.libraries.pack_results import GRADIENTS, MODES
from gradlint.interpreter.python.mro import find_member, library_base
from gradlint.knowledge.packs import Hook, New


class Hooked(dict[object, Hook]):
    """The hooks as which libraries call the functions that were passed to them."""


def hook_of(m: Interpreter, function: Function) -> Hook | None:
    """Return the hook as which a library calls a function, if a pack says that one does."""
    if (known := m.notes(Hooked).get(function.node)) is not None:
        return known
    cls = m.defined.classes.get(function.owner) if function.owner is not None else None
    found = library_base(m, cls) if cls is not None and cls in m.state.heap else None
    return found[1].hooks.get(function.name) if found is not None else None


@implements(TypeSlot.HANDED, Function)
def handed(m: Interpreter, function: Function, params: list[Any]) -> dict[str, Value]:
    """Return the arguments that a library passes for each parameter that its hook speaks of."""
    hook = hook_of(m, function)
    if hook is None:
        return {}
    out: dict[str, Value] = {}
    for param, gift in zip(params, hook.handed, strict=False):
        if type(gift) is New:
            value = pack_results.typical(m, param, gift.path, "handed", Belief.ANNOTATED)
            mode = MODES[gift.mode or hook.mode]
            m.update_fields(value, Module, mode=mode, left=mode)
            out[param.name.value] = value
    return out


@contextmanager
def called_by_library(m: Interpreter, function: Function, owner: list[Value]) -> Iterator[Callable[[Value], None]]:
    """Run a function as the library calls it; what is yielded takes what the function returned."""
    hook = hook_of(m, function)
    if hook is None:
        yield lambda value: None
        return
    before = (m.state.grad_mode, m.state.inference, m.assumed_mode)
    if hook.gradients != "?":
        to, inference = GRADIENTS[hook.gradients]
        m.state.grad_mode, m.state.inference = to, m.state.inference if inference is None else inference
        m.assumed_mode = False
    for value in owner:
        _as_found(m, value, hook)
    yield lambda value: _returned(m, function, hook, owner, value)
    m.state.grad_mode, m.state.inference, m.assumed_mode = before


def _as_found(m: Interpreter, owner: Value, hook: Hook) -> None:
    """The modules of an object as its library has left them: in the mode of the hook, with gradients of any state."""
    for ref in submodules(m, owner) if hook.mode != "?" else ():
        m.update_fields(ref, Module, mode=MODES[hook.mode], left=MODES[hook.mode])
    for _, ref in parameters(m, owner)[0]:
        m.store_exact(ref, replace(m[ref], grad=m[ref].grad | ANY_GRAD, gradient=UNKNOWN))


def _returned(m: Interpreter, function: Function, hook: Hook, owner: list[Value], value: Value) -> None:
    """The library differentiates what a function returned, if its hook says so."""
    if not hook.loss or not m.state.live or not _holds(m, owner, hook.unless):
        return
    losses = [option for option in alternatives(_loss(m, value)) if m.may_be(option, Tensor)]
    if losses:
        differentiating.backward(m, function.node, [one_of(losses)], differentiating.Request("backward"))


def _holds(m: Interpreter, owner: list[Value], attribute: str) -> bool:
    """Return whether an attribute is certainly not switched off, on the object or in its class."""
    things = [thing for value in owner if isinstance(thing := m.thing(value), (Module, Instance))]
    found = [dict(thing.attributes).get(attribute) or find_member(m, thing.cls, attribute) for thing in things]
    return all(value is None or value == Constant(True) or type(value) is ImportPath for value in found)


def _loss(m: Interpreter, value: Value) -> Value:
    container = m.only(value, Container)
    return value if container is None else dict(container.items).get("loss", NONE_VALUE)
