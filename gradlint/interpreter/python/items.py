"""Subscripts: what `value[index]` gives, by the kind of value."""

from __future__ import annotations

from collections.abc import Callable

from gradlint.domain.objects import Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import UNKNOWN, Constant, ImportPath, PlainObject, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, kind_of
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.iteration import ELEMENTS
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.dynamic_attributes import NAMESPACE, of_namespace
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.sites import Site

GET: dict[type, Callable[..., Value]] = SLOTS[TypeSlot.GET_ITEM]


def get_item(m: Interpreter, node: Site, owner: Value, index: Value) -> Value:
    """`owner[index]`."""
    options = [option for option in alternatives(owner) if option != Constant(None)]
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


def item_by_method(m: Interpreter, node: Site, owner: Value, index: Value) -> Value | None:
    """Return the result of the `__getitem__` that an object's class defines; None where it defines none."""
    method = method_of(m, owner, "__getitem__")
    return None if method is None else call_function(m, node, method, Arguments([owner, index]))
