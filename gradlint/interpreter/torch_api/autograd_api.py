"""The functions of `torch.autograd` that differentiate."""

from __future__ import annotations

from typing import Any

from gradlint.domain import (
    MAPPINGS,
    MAYBE,
    NO,
    NONE_VALUE,
    UNKNOWN,
    YES,
    Container,
    Mark,
    Node,
    Ref,
    Tensor,
    Value,
    negation,
    one_of,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd import shape
from gradlint.interpreter.autograd.backward import Request, backward
from gradlint.interpreter.autograd.backward_arguments import BACKWARD, GRAD, each, requested, wanted_inputs
from gradlint.interpreter.autograd.grad import RETURNED, marked
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import models
from gradlint.interpreter.engine.history import nodes_of
from gradlint.interpreter.engine.machine import Interpreter, syntax
from gradlint.interpreter.python.containers import container


@models("torch.autograd.backward")
def _backward(it: Interpreter, node: Any, args: Arguments) -> Value:
    roots = each(it, node, args.get("tensors", 0, UNKNOWN))
    wanted = wanted_inputs(it, node, args, BACKWARD)
    backward(it, node, roots, requested(it, "backward", args, BACKWARD, wanted))
    return NONE_VALUE


@models("torch.autograd.grad")
def _grad(it: Interpreter, node: Any, args: Arguments) -> Value:
    """The gradients come back, one for each input; `.grad` stays as it is."""
    roots = each(it, node, args.get("outputs", 0, UNKNOWN))
    wanted = args.get("inputs", 1, UNKNOWN)
    listed = each(it, node, wanted)
    request = requested(it, "grad", args, GRAD, listed)
    start = it.hold(*roots, *listed)
    backward(it, node, it.state.flight[start : start + len(roots)], request)
    inputs = it.land(start)[len(roots) :]
    _remember(it, node, inputs)
    graph = _second_order(it, node, roots, request)
    measured = not (args.unknown or args.given("is_grads_batched", 7))
    found = [_gradient(it, node, index, value, request, graph, measured) for index, value in enumerate(inputs)]
    given = it.only(wanted, Container)
    if given is not None and given.kind in MAPPINGS:
        keys = [key for key, _ in given.items]
        return it.new(node, "gradients", Container("dict", items=tuple(zip(keys, found, strict=False))))
    if given is None and not it.may_be(wanted, Tensor):
        return it.new(node, "gradients", Container("tuple", rest=found[0]))
    return container(it, node, "tuple", found)


def _remember(it: Interpreter, node: Any, inputs: list[Value]) -> None:
    """The gradients of these tensors were given back and are not in their `.grad`."""
    for value in inputs:
        for ref, tensor in it.all(value, Tensor):
            it.state.heap[ref] = replace(tensor, marks=marked(tensor, RETURNED, node))


def _second_order(it: Interpreter, node: Any, roots: list[Value], request: Request) -> Ref | None:
    """The node of gradients that can be differentiated again: they were computed from all that led to the roots."""
    if request.create is NO:
        return None
    return it.new(node, "second order", Node("grad", syntax(node), tuple(nodes_of(it, root) for root in roots)))


def _gradient(
    it: Interpreter, node: Any, index: int, value: Value, request: Request, graph: Ref | None, measured: bool
) -> Value:
    """One gradient, if it is `measured` as large as its tensor. With `create_graph` it requires grad unless it is
    constant, as that of a linear function."""
    refs = tuple(ref for ref, _ in it.all(value, Tensor))
    tensor = it.only(value, Tensor)
    requires = MAYBE if request.create is YES else NO if request.create is NO else NO | request.create
    marks = (Mark("made", node), *((Mark("cut", node, "grad"),) if request.create is NO else ()))
    alike = ("dtype", *(shape.UNKNOWN_SIZES if measured and tensor and not tensor.loose else ()))
    facts = {name: getattr(tensor, name) for name in alike} if tensor else {}
    made = fresh(it, node, f"gradient {index}", made="autograd.grad", marks=marks, grad_of=refs, requires_grad=requires,
                 leaf=negation(requires), **facts)  # fmt: skip
    if graph is not None:
        it.state.heap[made] = replace(it[made], node=(graph, None))
    return made if request.allow_unused is NO else one_of((made, NONE_VALUE))
