"""Optimizers: what they were given, what a step does, how gradients are cleared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint import events
from gradlint.domain import (
    MOST_ITEMS,
    NO,
    NONE_VALUE,
    UNKNOWN,
    UNSURE,
    YES,
    Const,
    Container,
    Grad,
    Mark,
    Optimizer,
    Ref,
    Tensor,
    Truth,
    Unit,
    Unknown,
    Value,
    alternatives,
    one_of,
)
from gradlint.domain.changing import replace
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.containers import consume, elements
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.differentiating import clear_gradients
from gradlint.interpreter.tensors import AFTER_STEP, truth_of
from gradlint.interpreter.writing import memory_written, written_without_graph


def given_tensors(it: Interpreter, node: Any, value: Value) -> tuple[list[Ref], Truth]:
    """The tensors that an argument holds, by itself, in an iterable or in groups, and whether there may be others."""
    thing = it.only(value, Container)
    if thing is not None:
        inner = [dict(group.items).get("params") for _, v in thing.items for _, group in it.all(v, Container)]
        groups = [v for v in inner if v is not None]
        if groups:
            found = [given_tensors(it, node, group) for group in groups]
            return [ref for refs, _ in found for ref in refs], UNSURE if any(o is not NO for _, o in found) else NO
    element = value if it.may_be(value, Tensor) else elements(it, node, value)
    consume(it, node, value, "optimizer")
    refs = [ref for ref, _ in it.all(element, Tensor)]
    sure = bool(refs) and len(refs) == len(alternatives(element))
    return refs, NO if sure else UNSURE


def build(it: Interpreter, node: Any, path: str, args: Arguments) -> Value:
    """An optimizer of torch is made."""
    refs, opened = given_tensors(it, node, args.get("params", 0, UNKNOWN))
    made = Optimizer(
        path.rpartition(".")[2], tuple((ref,) for ref in refs[:MOST_ITEMS]), opened, marks=(Mark("made", node),)
    )
    it.emit(events.OptimizerBuilt, node, optimizer=made, parameters=tuple(it[ref] for ref in refs))
    return it.new(node, "optimizer", made)


def held(it: Interpreter, owner: Value) -> list[Ref]:
    """The tensors that an optimizer certainly or possibly updates."""
    found: dict[Ref, None] = {}
    for _, thing in it.all(owner, Optimizer):
        for group in thing.groups:
            found |= {ref: None for ref in group if ref is not None and type(it.state.heap.get(ref)) is Tensor}
    return list(found)


def step(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`step()`: the parameters are written, without the graph."""
    from gradlint.interpreter.calls import call_value

    closure = args.get("closure", 0, NONE_VALUE)
    start = it.hold(owner)
    if closure != NONE_VALUE:
        mode = it.state.grad_mode
        it.state.grad_mode = YES
        call_value(it, node, closure, Arguments(), "closure")
        it.state.grad_mode = mode
    owner = it.land(start)[0]
    refs = held(it, owner)
    shown = it.only(owner, Optimizer)
    tensors = [it[ref] for ref in refs]
    if shown is not None:
        grad, unit = _joined(tensors)
        it.emit(events.OptimizerStepped, node, optimizer=shown, grad=grad, unit=unit, closure=it.thing(closure))
    sure = len(it.all(owner, Optimizer)) == 1
    for ref in refs:
        thing: Tensor = it[ref]
        written_without_graph(it, node, ref, "step", "step", sure=sure)
        now = replace(thing, grad=thing.grad.mapped(AFTER_STEP))
        it.state.heap[ref] = now if sure else it.either_way(thing, now)
    _others(it, owner, refs)
    return NONE_VALUE if closure == NONE_VALUE else UNKNOWN


def _others(it: Interpreter, owner: Value, refs: list[Ref]) -> None:
    """An optimizer that may hold others than were seen may have written any parameter."""
    if not any(thing.open.may(YES) for _, thing in it.all(owner, Optimizer)):
        return
    for ref, thing in list(it.state.heap.items()):
        if type(thing) is Tensor and thing.parameter.may(YES) and ref not in refs:
            memory_written(it, thing.storage, sure=False, noticed=YES, by=ref)
            it.state.heap[ref] = it.either_way(thing, replace(thing, grad=thing.grad.mapped(AFTER_STEP)))


def _joined(tensors: list[Tensor]) -> tuple[Grad, Unit]:
    if not tensors:
        return Grad.unsure(), Unit.unsure()
    grad, unit = tensors[0].grad, tensors[0].unit
    for tensor in tensors[1:]:
        grad, unit = grad | tensor.grad, unit | tensor.unit
    return grad, unit


def zero_grad(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`zero_grad()` of an optimizer."""
    refs = held(it, owner)
    to_none = truth_of(args.get("set_to_none", 0, Const(True)))
    it.sweeping += refs
    clear_gradients(it, node, refs, to_none=to_none, sure=len(it.all(owner, Optimizer)) == 1)
    del it.sweeping[len(it.sweeping) - len(refs) :]
    if any(thing.open.may(YES) for _, thing in it.all(owner, Optimizer)):
        others = [
            r
            for r, thing in it.state.heap.items()
            if type(thing) is Tensor and thing.parameter.may(YES) and r not in refs
        ]
        with it.silently():
            for ref in others:
                clear_gradients(it, node, [ref], to_none=to_none, sure=False)
    return NONE_VALUE


def add_param_group(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`add_param_group({"params": ...})`."""
    group = it.only(args.get("param_group", 0, UNKNOWN), Container)
    refs, opened = given_tensors(it, node, dict(group.items).get("params", UNKNOWN)) if group else ([], UNSURE)
    for ref, thing in it.all(owner, Optimizer):
        groups = (*thing.groups, *((one,) for one in refs))
        it.put(ref, replace(thing, groups=groups, open=thing.open | opened))
    return NONE_VALUE


def param_groups(it: Interpreter, node: Any, owner: Ref) -> Value:
    """`param_groups`: a list of dicts whose "params" are lists of tensors."""
    refs = held(it, owner)
    params = it.new(node, "params", Container("list", rest=one_of(refs, MOST_ITEMS) if refs else Unknown((owner,))))
    group = it.new(node, "group", Container("dict", items=(("params", params),), rest=Unknown(())))
    return it.new(node, "groups", Container("list", rest=group))


def state_dict(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`state_dict()` of an optimizer: its own state, which holds no parameters."""
    return it.new(node, "state", Container("dict", rest=UNKNOWN))


METHODS: dict[str, Callable[[Interpreter, Any, Value, Arguments], Value]] = {
    "step": step,
    "zero_grad": zero_grad,
    "add_param_group": add_param_group,
    "state_dict": state_dict,
    "load_state_dict": lambda it, node, owner, args: NONE_VALUE,
}
