"""NumPy arrays: what their methods give, and writes into their memory, of which autograd does not hear."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import INTEGER, NO, YES, Truth, negation
from gradlint.domain.objects import Array, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind, WriteKind
from gradlint.domain.refs import Ref, Syntax
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NONE_VALUE, Bound, PlainObject, PythonNumber, Value
from gradlint.interpreter.autograd.detach import cuts
from gradlint.interpreter.autograd.in_place import Change, gradients_written, is_local, memory_written, viewed
from gradlint.interpreter.autograd.indexing import index_kind
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import TypeSlot, annotated, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.python.numpy_arrays import ALWAYS_VIEWS, IN_PLACE, NUMBERS, SOMETIMES_VIEWS

OWN = "array memory"


def fresh_array(m: Interpreter, node: Site, **facts: Any) -> Ref:
    """A new array with memory of its own."""
    return m.new(node, "array", Array(storage=(m.memory(node, OWN),), **facts))


annotated("numpy.ndarray", "numpy.array")(
    lambda m, node, path: m.new(node, "annotated", Array(storage=(m.memory(node, "array"),), belief=Belief.ANNOTATED))
)


def call(m: Interpreter, node: Site, owner: Value, name: str, args: Arguments) -> Value:
    """A method of an array."""
    found = m.all(owner, Array)
    if name in NUMBERS:
        return one_of([PythonNumber(array.dtype, _of_kind(CauseKind.CUT, array)) for _, array in found])
    if name in IN_PLACE:
        write_array(m, node, owner, name, "")
        return NONE_VALUE
    views = YES if name in ALWAYS_VIEWS else Truth.unsure() if name in SOMETIMES_VIEWS else NO
    return part(m, node, found[0][1], views) if len(found) == 1 else fresh_array(m, node, causes=cuts(m, [owner]))


def part(m: Interpreter, node: Site, array: Array, views: Truth) -> Ref:
    """Return a part of an array, which it `views` or is a copy of."""
    shared = array.storage if views.may(YES) else ()
    own = (m.memory(node, OWN),) if views is not YES else ()
    return m.new(node, "array", Array(array.dtype, (*shared, *own), array.belief, array.causes))


def write_array(m: Interpreter, node: Site, value: Value, op: str, name: str) -> None:
    """The memory of an array is written, and with it that of every tensor that shares it."""
    found = m.all(value, Array)
    sure = len(alternatives(value)) == 1 and m.is_strong(found)
    made = tuple(dict.fromkeys(mark.node for _, array in found for mark in _of_kind(CauseKind.MADE, array)))
    for _, array in found:
        if not m.is_silent:
            _tell(m, node, array, op, name, made)
        mark = Cause(CauseKind.HIDDEN, syntax(node), name=name)
        memory_written(m, array.storage, Change(sure, noticed=NO, mark=mark))
        gradients_written(m, array.storage)


def _of_kind(kind: CauseKind, array: Array) -> tuple[Cause, ...]:
    return tuple(mark for mark in array.causes if mark.kind is kind)


def _tell(m: Interpreter, node: Site, array: Array, op: str, name: str, made: tuple[Syntax, ...]) -> None:
    """Emit a write of every tensor on the memory; where it may be another memory none is certain."""
    if len(array.storage) != 1:
        return
    sharing = [(ref, one) for ref, one in m.state.heap.items() if type(one) is Tensor and one.storage == array.storage]
    for ref, tensor in sharing:
        m.emit(events.WrittenInPlace, node, target=tensor, op=op, by=WriteKind.ARRAY, base=viewed(m, tensor),
                holders=(), arrays=made, noticed=NO, local=is_local(m, [(ref, tensor)]), name=name)  # fmt: skip


@implements(TypeSlot.SET_ITEM, Array)
def _set_item(m: Interpreter, node: cst.Subscript, owner: Value, index: Value, value: Value) -> None:
    write_array(m, node, owner, "setitem", spelled(node.value))


@implements(TypeSlot.NEXT, Array)
def _element(m: Interpreter, node: Site, ref: Ref, thing: Array) -> Value:
    return PythonNumber(thing.dtype, row=True)


@implements(TypeSlot.GET_ATTRIBUTE, Array)
def _get_attribute(m: Interpreter, node: Site, owner: Ref, name: str, chain: str, guard: bool) -> Value:
    return PlainObject("Size") if name in ("shape", "strides") else Bound(owner, name)


@implements(TypeSlot.GET_ITEM, Array)
def _get_item(m: Interpreter, node: Site, owner: Ref, index: Value) -> Value:
    thing: Array = m[owner]
    return (
        PythonNumber(thing.dtype, row=True)
        if index in (PythonNumber(INTEGER), PythonNumber(INTEGER, row=True))
        else part(m, node, thing, negation(index_kind(m, index)))
    )
