"""Differentiating: backward, the gradients it fills, and how they are read and cleared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint import events
from gradlint.domain import (
    LOST,
    NO,
    NONE,
    OPAQUE,
    UNKNOWN,
    UNSURE,
    YES,
    Const,
    Grad,
    Mark,
    Node,
    Ref,
    Tensor,
    Truth,
    Unknown,
    Value,
    either,
    one_of,
)
from gradlint.domain.changing import replace
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.graphs import sure_past
from gradlint.interpreter.tensors import AFTER_BACKWARD, AFTER_CLEARING, fresh


def backward(it: Interpreter, node: Any, root: Value, *, how: str, retain: Truth = NO, create: Truth = NO) -> None:
    """Differentiate: gradients of the leaves in the history are filled (`how` "backward") and the graph is freed."""
    start = it.operand(root)
    past, sure = it.past(start), sure_past(it, start)
    heap = it.state.heap
    nodes = [ref for ref in past if type(heap.get(ref)) is Node]
    leaves = [ref for ref in past if type(heap.get(ref)) is Tensor]
    it.used.update(ref.key for ref in nodes)
    shown = it.only(root, Tensor)
    if shown is not None:
        it.emit(
            events.BackwardRun,
            node,
            root=shown,
            leaves=tuple(heap[ref] for ref in leaves),
            freed=_state_of(it, nodes, sure, "freed"),
            stale=_state_of(it, nodes, sure, "stale"),
            corrupt=_state_of(it, nodes, sure, "corrupt"),
            retain=retain,
            create_graph=create,
            how=how,
        )
    for ref in nodes:
        _differentiated(it, ref, ref in sure, either([retain, create]))
    if how == "backward":
        _fill(it, node, leaves, sure, nodes, opaque=OPAQUE in past)


def _state_of(it: Interpreter, nodes: Sequence[Ref], sure: dict[Ref, None], attr: str) -> Truth:
    """Whether the graph holds a node in that state which needs what it saved."""
    if any(ref in sure and it[ref].saves and getattr(it[ref], attr) is YES for ref in nodes):
        return YES
    if any(getattr(it[ref], attr).may(YES) for ref in nodes):
        return NO | YES
    return NO


def _differentiated(it: Interpreter, ref: Ref, sure: bool, keep: Truth) -> None:
    thing: Node = it[ref]
    facts: dict[str, Any] = {"reached": YES if sure else thing.reached | YES}
    if keep is not YES:
        facts["freed"] = YES if sure and keep is NO else thing.freed | YES
    it.state.heap[ref] = replace(thing, **facts)


def _fill(
    it: Interpreter, node: Any, leaves: Sequence[Ref], sure: dict[Ref, None], nodes: Sequence[Ref], *, opaque: bool
) -> None:
    """Gradients arrive at leaves and at tensors that retain theirs; through an opaque node, perhaps anywhere."""
    reached = set(nodes)
    for ref, thing in list(it.state.heap.items()):
        if type(thing) is not Tensor:
            continue
        if ref in leaves:
            certain = ref in sure
        elif thing.retains.may(YES) and reached.intersection(thing.node):
            certain = thing.retains is YES and any(one in sure for one in thing.node) and len(thing.node) == 1
        elif opaque and thing.requires_grad.may(YES) and (thing.leaf.may(YES) or thing.retains.may(YES)):
            certain = False
        else:
            continue
        filled = thing.grad.mapped(AFTER_BACKWARD)
        marks = thing.marks if any(m.how == "backward" for m in thing.marks) else (*thing.marks, Mark("backward", node))
        now = replace(thing, grad=filled if certain else thing.grad | filled, marks=marks[-4:])
        it.state.heap[ref] = now if certain or ref not in leaves else replace(now, gradient=UNKNOWN)


def read_gradient(it: Interpreter, node: Any, value: Value, *, guard: bool, name: str) -> Value:
    """`.grad` of a tensor is read."""
    shown = it.only(value, Tensor)
    if shown is None:
        return Unknown(tuple(ref for ref, _ in it.all(value, Tensor)))
    nodes = [it[ref] for ref in shown.node if ref is not None and ref in it.state.heap]
    reached = either([one.reached for one in nodes]) if nodes else NO
    it.emit(events.GradientRead, node, tensor=shown, guard=guard, reached=reached, name=name)
    out: list[Value] = []
    for ref, tensor in it.all(value, Tensor):
        if type(tensor.gradient) is Unknown and (tensor.grad.may(NONE) or tensor.grad.may(LOST)):
            out.append(Const(None))
        if has_gradient(tensor):
            out.append(_gradient(it, node, ref, tensor))
    return one_of(out)


def has_gradient(tensor: Tensor) -> bool:
    """Whether `.grad` may hold a tensor, if only one of zeros."""
    return type(tensor.gradient) is not Unknown or not tensor.grad <= NONE | LOST


def _gradient(it: Interpreter, node: Any, ref: Ref, tensor: Tensor) -> Value:
    """The tensor that `.grad` holds: the same one until it is cleared."""
    if type(tensor.gradient) is not Unknown:
        return tensor.gradient
    made = fresh(it, node, f"grad of {ref.site}.{ref.part}", dtype=tensor.dtype, made="grad", grad_of=(ref,),
                 belief=tensor.belief, requires_grad=NO | UNSURE, leaf=UNSURE)  # fmt: skip
    it.put(ref, replace(it[ref], gradient=made))
    return made


def clear_gradients(it: Interpreter, node: Any, refs: Sequence[Ref], *, to_none: Truth, sure: bool = True) -> None:
    """The gradients of these tensors are cleared."""
    tensors = tuple(it[ref] for ref in refs if type(it.state.heap.get(ref)) is Tensor)
    grad = _joined_grad(tensors)
    it.emit(events.GradientsCleared, node, parameters=tensors, grad=grad, to_none=to_none)
    for ref in refs:
        thing = it.state.heap.get(ref)
        if type(thing) is Tensor:
            zeros = UNKNOWN if to_none is YES or not has_gradient(thing) else _gradient(it, node, ref, thing)
            left = zeros if to_none is NO or zeros == UNKNOWN else one_of((zeros, Const(None)))
            now = replace(thing, grad=thing.grad.mapped(AFTER_CLEARING), gradient=left)
            it.put(ref, now, sure=sure)


def _joined_grad(tensors: Sequence[Tensor]) -> Grad:
    out = None
    for tensor in tensors:
        out = tensor.grad if out is None else out | tensor.grad
    return out if out is not None else Grad.unsure()
