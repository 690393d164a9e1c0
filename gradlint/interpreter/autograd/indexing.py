"""Indexing tensors: what kind of index it is, and what a tensor gives for it."""

from __future__ import annotations

import libcst as cst

from gradlint.domain.facts import NO, UNSURE, YES, Truth
from gradlint.domain.objects import Array, Container, Tensor
from gradlint.domain.provenance import WriteKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import Constant, PlainObject, PythonNumber, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd import shape
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.in_place import Write, write
from gradlint.interpreter.autograd.results import Requested
from gradlint.interpreter.autograd.tensor_attributes import output
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.shapes import NOT_SEEN

BASIC = PlainObject("basic index")
ADVANCED = PlainObject("advanced index")
UNCLEAR = PlainObject("index")


@implements(TypeSlot.GET_ITEM, Tensor)
def _get_item(m: Interpreter, node: Site, owner: Value, index: Value) -> Value:
    """Indexing a tensor: a view for numbers, slices and None, a copy for lists and tensors."""
    tensor = m.only(owner, Tensor)
    if tensor is not None and tensor.may_be_structured and tensor.is_summary:
        return owner
    if tensor is not None and tensor.may_be_structured and type(index) is Constant and isinstance(index.value, str):
        return output(m, node, owner, index.value)
    kind = index_kind(m, index)
    row = m.torch.operations["operator.getitem"] if kind is not YES else m.torch.operations[ADVANCED_ROW]
    if kind.is_unsure:
        row = replace(row, results=(replace(row.results[0], kind="view or fresh"),))
    told = NOT_SEEN if kind.is_unsure else shape.told_key(m, index)
    return apply(m, node, row, [(row.operands[0], owner)], Requested(told=told))


@implements(TypeSlot.SET_ITEM, Tensor)
def _set_item(m: Interpreter, node: cst.Subscript, owner: Value, index: Value, value: Value) -> None:
    refs = [ref for ref, _ in m.all(owner, Tensor)]
    write(m, one_of(refs, len(refs)), Write(node, "setitem", WriteKind.ITEM, [value], spelled(node.value)))


ADVANCED_ROW = "operator.getitem advanced"


def index_kind(m: Interpreter, index: Value) -> Truth:
    """Return whether an index is an advanced one, which copies."""
    if index == ADVANCED:
        return YES
    if index == UNCLEAR:
        return UNSURE
    found = {_option_kind(m, option) for option in alternatives(index)}
    return found.pop() if len(found) == 1 else UNSURE


def _option_kind(m: Interpreter, option: Value) -> Truth:
    thing = m.state.heap.get(option) if type(option) is Ref else None
    if type(thing) in (Tensor, Array) or (type(thing) is Container and thing.kind == "list"):
        return YES
    return NO if type(option) in (Constant, PlainObject, PythonNumber) else UNSURE
