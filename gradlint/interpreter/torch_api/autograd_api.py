"""The functions of `torch.autograd` that differentiate."""

from __future__ import annotations

from collections.abc import Collection

from gradlint import events
from gradlint.domain.facts import MAYBE, NO, YES, negation
from gradlint.domain.objects import MAPPINGS, Container, Node, Tensor
from gradlint.domain.provenance import Cause, CauseKind, CutKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.backward import Request, backward
from gradlint.interpreter.autograd.backward_arguments import BACKWARD, GRAD, each, requested, wanted_inputs
from gradlint.interpreter.autograd.grad import marked
from gradlint.interpreter.autograd.results import UNKNOWN_SIZES
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import models
from gradlint.interpreter.engine.history import nodes_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.static.sites import Site, syntax


@models("torch.autograd.backward")
def _backward(m: Interpreter, node: Site, args: Arguments) -> Value:
    roots = each(m, node, args.get("tensors", 0, UNKNOWN))
    wanted = wanted_inputs(m, node, args, BACKWARD)
    backward(m, node, roots, requested(m, "backward", args, BACKWARD, wanted))
    return NONE_VALUE


@models("torch.autograd.grad")
def _grad(m: Interpreter, node: Site, args: Arguments) -> Value:
    """The gradients come back, one for each input; `.grad` stays as it is."""
    roots = each(m, node, args.get("outputs", 0, UNKNOWN))
    wanted = args.get("inputs", 1, UNKNOWN)
    listed = each(m, node, wanted)
    request = requested(m, "grad", args, GRAD, listed)
    start = m.push(*roots, *listed)
    backward(m, node, m.state.stack[start : start + len(roots)], request)
    inputs = m.pop_from(start)[len(roots) :]
    _remember(m, node, inputs)
    graph = _second_order(m, node, roots, request)
    sizes = () if args.unknown or args.given("is_grads_batched", 7) else UNKNOWN_SIZES
    made = [_gradient(m, node, f"gradient {n}", value, request, sizes) for n, value in enumerate(inputs)]
    if graph is not None:
        for ref in made:
            m.state.heap[ref] = replace(m[ref], node=(graph, None))
        if request.create is YES and not m.is_silent:
            m.emit(events.GradientsGiven, node, gradients=tuple(m[ref] for ref in made), graph=graph.key)
    found = [ref if request.allow_unused is NO else one_of((ref, NONE_VALUE)) for ref in made]
    given = m.only(wanted, Container)
    if given is not None and given.kind in MAPPINGS:
        keys = [key for key, _ in given.items]
        return m.new(node, "gradients", Container("dict", items=tuple(zip(keys, found, strict=False))))
    if given is None and not m.may_be(wanted, Tensor):
        return m.new(node, "gradients", Container("tuple", rest=found[0]))
    return container(m, node, "tuple", found)


def _remember(m: Interpreter, node: Site, inputs: list[Value]) -> None:
    """The gradients of these tensors were given back and are not in their `.grad`."""
    for value in inputs:
        for ref, tensor in m.all(value, Tensor):
            m.state.heap[ref] = replace(tensor, causes=marked(tensor, CauseKind.RETURNED, node))


def _second_order(m: Interpreter, node: Site, roots: list[Value], request: Request) -> Ref | None:
    """The node of gradients that can be differentiated again: they were computed from all that led to the roots."""
    if request.create is NO:
        return None
    return m.new(node, "second order", Node("grad", syntax(node), tuple(nodes_of(m, root) for root in roots)))


def _gradient(m: Interpreter, node: Site, part: str, value: Value, request: Request, sizes: Collection[str]) -> Ref:
    """One gradient, which has the `sizes` of its tensor. With `create_graph` it requires grad unless it is constant."""
    refs = tuple(ref for ref, _ in m.all(value, Tensor))
    tensor = m.only(value, Tensor)
    requires = MAYBE if request.create is YES else NO if request.create is NO else NO | request.create
    differentiated = Cause(CauseKind.CUT, node, "grad", how=CutKind.DIFFERENTIATED)
    marks = (Cause(CauseKind.MADE, node), *((differentiated,) if request.create is NO else ()))
    alike = ("dtype", *(sizes if tensor and not tensor.may_be_structured else ()))
    facts = {name: getattr(tensor, name) for name in alike} if tensor else {}
    return fresh(m, node, part, made="autograd.grad", causes=marks, grad_of=refs, requires_grad=requires,
                 leaf=negation(requires), **facts)  # fmt: skip
