"""Subscripts: what `value[index]` gives, by the kind of value."""

from __future__ import annotations

from collections.abc import Callable

from gradlint.domain.objects import Container, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, key_of, one_of
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, ImportPath, PlainObject, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, kind_of
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.iteration import ELEMENTS
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.dynamic_attributes import NAMESPACE, of_namespace
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.sites import Site

PLAIN = frozenset({"list", "tuple", "dict"})
GET: dict[type, Callable[..., Value]] = SLOTS[TypeSlot.GET_ITEM]


def get_item(m: Interpreter, node: Site, owner: Value, index: Value) -> Value:
    """`owner[index]`. None, and what certainly holds nothing there, would end the path: others are what is meant."""
    options = [option for option in alternatives(owner) if option != Constant(None)]
    if len(options) > 1:
        options = [option for option in options if not _lacks(m, option, index)] or options
    tensors = [option for option in options if type(option) is Ref and type(m.state.heap.get(option)) is Tensor]
    if tensors and len(tensors) == len(options):
        return GET[Tensor](m, node, one_of(tensors, len(tensors)), index)
    return one_of([_item(m, node, option, index) for option in options])


def _item(m: Interpreter, node: Site, owner: Value, index: Value) -> Value:
    handler = GET.get(kind_of(m, owner))
    if handler is not None:
        return handler(m, node, owner, index)
    if type(owner) is ImportPath:
        return of_namespace(m, owner.path, index) if owner.path.endswith(NAMESPACE) else owner
    if type(owner) is Constant:
        return PlainObject("str")
    if type(owner) is PlainObject:
        return ELEMENTS.get(owner.kind, UNKNOWN)
    found = item_by_method(m, node, owner, index)
    return result_of_unknown([owner]) if found is None else found


def _lacks(m: Interpreter, owner: Value, index: Value) -> bool:
    """Return whether this is a list, tuple or dict that certainly holds nothing under a constant."""
    if type(owner) is not Ref:
        return False
    thing = m.state.heap.get(owner)
    if type(thing) is not Container or thing.kind not in PLAIN or thing.attributes_of or key_of(index) is None:
        return False
    return containers.get_item(m, owner, thing, index, missing=NOTHING) == NOTHING


def item_by_method(m: Interpreter, node: Site, owner: Value, index: Value) -> Value | None:
    """Return the result of the `__getitem__` that an object's class defines; None where it defines none."""
    method = method_of(m, owner, "__getitem__")
    return None if method is None else call_function(m, node, method, Arguments([owner, index]))
