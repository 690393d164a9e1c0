"""Gradients: how `.grad` is filled, read and cleared."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from gradlint import events
from gradlint.domain.facts import FRESH, LOST, MIXED, NO, NONE, PLAIN, UNSURE, USED, YES, Grad, Truth, Unit, either
from gradlint.domain.objects import MOST_ITEMS, Tensor
from gradlint.domain.provenance import MOST_CAUSES, Belief, Cause, CauseKind, ClearKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of, truth_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.leaf import require_leaf
from gradlint.interpreter.autograd.requires_grad import perhaps_given_back
from gradlint.interpreter.autograd.tensor import BACKWARD, CLEARING, NO_CHANGE, fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.grad_reads import Reads, reads_in
from gradlint.interpreter.static.scopes import receiver, spelled
from gradlint.interpreter.static.sites import Part, Site

FILLING = frozenset({CauseKind.BACKWARD, CauseKind.MIXED, CauseKind.CLEARED, CauseKind.RETURNED})
"""Marks that a backward which fills a gradient takes away: the backward before, that it found an old gradient there."""


def marked(tensor: Tensor, kind: CauseKind, node: Site) -> tuple[Cause, ...]:
    """The marks of a tensor with one of this kind, the latest."""
    return (*(mark for mark in tensor.causes if mark.kind is not kind), Cause(kind, node))[-MOST_CAUSES:]


def is_left_over(grad: Grad) -> bool:
    """Return whether a step has used the gradient on some path, and nobody has cleared it on any."""
    return grad.possibly(USED | MIXED) and grad <= FRESH | USED | MIXED


def filled(tensor: Tensor, node: Site, unit: Unit, *, certain: bool) -> Tensor:
    """The tensor after a gradient in that unit has arrived."""
    grad = BACKWARD.of(tensor)
    gradient = UNKNOWN if NONE_VALUE in alternatives(tensor.gradient) else tensor.gradient
    marks = (*(mark for mark in tensor.causes if mark.kind not in FILLING), Cause(CauseKind.BACKWARD, node))[
        -MOST_CAUSES:
    ]
    if certain and is_left_over(tensor.grad):
        marks = (*marks, Cause(CauseKind.MIXED, node))
    if not (certain and NO_CHANGE.of(tensor) <= NONE | LOST):
        unit = tensor.unit | unit
    return replace(tensor, grad=grad if certain else tensor.grad | grad, unit=unit, gradient=gradient, causes=marks)


def read_gradient(m: Interpreter, node: Site, value: Value, *, guard: bool, name: str) -> Value:
    """`.grad` of a tensor is read."""
    shown = m.only(value, Tensor)
    if shown is None:
        return Unknown(tuple(ref for ref, _ in m.all(value, Tensor)))
    nodes = [m[ref] for ref in shown.node if ref is not None and ref in m.state.heap]
    reached = either([one.reached for one in nodes]) if nodes else NO
    if not m.is_silent:
        there = [has_gradient(tensor) for _, tensor in m.all(value, Tensor)]
        none = NO if all(there) else UNSURE if any(there) else YES
        use = "" if guard else use_of(m, node)
        bound = None if guard else bound_as(m, shown, name)
        m.emit(events.GradientRead, node, tensor=shown, guard=guard, reached=reached, none=none, use=use, bound=bound,
                name=name)  # fmt: skip
    require_leaf(m, node, value, "test" if guard else "gradient", name)
    out: list[Value] = []
    for ref, tensor in m.all(value, Tensor):
        handed_over = tensor.belief is Belief.UNTOUCHED
        left: Value = Unknown((ref,)) if handed_over else NONE_VALUE
        held = _gradient(m, node, ref, tensor) if has_gradient(tensor) else left
        out += [*alternatives(held), *([NONE_VALUE] if handed_over else [])]
    return one_of(out, MOST_ITEMS)


def has_gradient(tensor: Tensor) -> bool:
    """Return whether `.grad` may hold a tensor, if only one of zeros."""
    return is_held(tensor.gradient) or not tensor.grad <= NONE | LOST


def is_held(gradient: Value) -> bool:
    """Return whether a gradient is known, or one of several: it may be there where nothing says it was filled."""
    return type(gradient) is not Unknown or bool(gradient.reach)


def may_lack_gradient(tensor: Tensor) -> bool:
    """Return whether `.grad` may be None."""
    return tensor.grad.may(NONE) or (tensor.grad.may(LOST) and type(tensor.gradient) is not Ref)


def _gradient(m: Interpreter, node: Site, ref: Ref, tensor: Tensor) -> Value:
    """Return the value of `.grad`: the same tensor until it is cleared, and None where it may be that."""
    if type(tensor.gradient) is not Unknown:
        for own, gradient in m.all(tensor.gradient, Tensor):
            if not any(mark.node is node for mark in gradient.causes):
                m.store_exact(own, replace(gradient, causes=marked(gradient, CauseKind.READ, node)))
        return tensor.gradient
    made = fresh(m, node, f"grad of {ref.site}.{ref.part}", dtype=tensor.dtype, made="grad", grad_of=(ref,),
                 belief=tensor.belief, requires_grad=NO | UNSURE, leaf=UNSURE, inference=NO | UNSURE)  # fmt: skip
    held: Value = one_of((made, NONE_VALUE)) if tensor.grad.may(NONE | LOST) else made
    m.store(ref, replace(m[ref], gradient=held), filling=True)
    return held


def left_as_none(m: Interpreter, path: str, args: Arguments) -> Truth:
    """Return whether a call of this `zero_grad` leaves None where there was a gradient."""
    if args.given("set_to_none", 0):
        return truth_of(args.get("set_to_none", 0, UNKNOWN))
    row = m.torch.clearing.get(path)
    return UNSURE if row is None else truth_of(Constant(row.to_none))


def clear_gradients(
    m: Interpreter, node: Site, refs: Sequence[Ref], *, to_none: Truth, by: ClearKind, sure: Collection[Ref]
) -> None:
    """The gradients of these tensors are cleared, certainly of the `sure` ones; `by` as for `GradientsCleared`."""
    tensors = tensors_of(m, refs)
    grad, _ = joined_gradients(tensors)
    name = spelled(receiver(node)) if by in (ClearKind.OPTIMIZER, ClearKind.MODULE) else ""
    m.emit(events.GradientsCleared, node, parameters=tensors, grad=grad, to_none=to_none, by=by, name=name)
    for ref in refs:
        thing = m.state.heap.get(ref)
        if type(thing) is Tensor:
            zeros = UNKNOWN if to_none is YES or not has_gradient(thing) else _gradient(m, node, ref, thing)
            left = zeros if to_none is NO or zeros == UNKNOWN else one_of((zeros, NONE_VALUE))
            marks = marked(thing, CauseKind.CLEARED, node)
            now = replace(thing, grad=_once_cleared(m, ref, thing), unit=PLAIN, gradient=left, causes=marks)
            m.store(ref, now, sure=ref in sure, filling=True)


def _once_cleared(m: Interpreter, ref: Ref, tensor: Tensor) -> Grad:
    """Return the state of a gradient once it is cleared. What unseen code gave may be what it was passed, with a
    gradient that no step has used."""
    cleared = CLEARING.of(tensor)
    return cleared | LOST if tensor.grad.is_unsure and perhaps_given_back(m, ref, tensor) else cleared


def tensors_of(m: Interpreter, refs: Iterable[Ref]) -> tuple[Tensor, ...]:
    """The tensors among these objects, as they are now."""
    return tuple(thing for ref in refs if type(thing := m.state.heap.get(ref)) is Tensor)


def joined_gradients(tensors: Sequence[Tensor]) -> tuple[Grad, Unit]:
    """Return the joined gradients of several tensors: their state, and the unit of those that may be there."""
    if not tensors:
        return Grad.unsure(), Unit.unsure()
    grad, unit = tensors[0].grad, None
    for tensor in tensors:
        grad = grad | tensor.grad
        if not tensor.grad <= NONE | LOST:
            unit = tensor.unit if unit is None else unit | tensor.unit
    return grad, PLAIN if unit is None else unit


def use_of(m: Interpreter, node: Site) -> str:
    """Return the use of the gradient that is read here: "needed" (None raises), "handed" (to a call) or neither."""
    return _looked_for(m).uses.get(node, "")


def bound_as(m: Interpreter, tensor: Tensor, name: str) -> Any:
    """The expression that computed a tensor, if its value got this name there; else None."""
    made = next((mark.node for mark in tensor.causes if mark.kind == CauseKind.MADE), None)
    made = made.node if type(made) is Part else made
    return made if name and _looked_for(m).names.get(made) == name else None


def _looked_for(m: Interpreter) -> Reads:
    found: Reads | None = m.noted.get(Reads)
    if found is None:
        found = m.noted[Reads] = reads_in(m.tree)
    return found
