"""Functions of torch.nn.utils over parameters and their gradients."""

from __future__ import annotations

from math import inf

from gradlint import events
from gradlint.domain.facts import ANY_GRAD, FLOAT, UNSURE, YES
from gradlint.domain.objects import Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.grad import joined_gradients, tensors_of
from gradlint.interpreter.autograd.in_place import Change, gradients_written, memory_written
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import MODELS, Model, models
from gradlint.interpreter.engine.iteration import consume, elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge import ROWS
from gradlint.knowledge.schema import Operation, Result

JOINING = Operation("parameters_to_vector", (), (), ("parameters",), "", results=(Result(dtype="promote"),))


BOUNDS = {"clip_grad_value_": "clip_value"}
"""The names of the bound, where it is not `max_norm`."""


def _given(m: Interpreter, node: Site, value: Value, by: str) -> Value:
    """The tensors of an argument that is one or runs over several."""
    if m.may_be(value, Tensor):
        return value
    start = m.push(elements(m, node, value))
    consume(m, node, value, by)
    return m.pop_from(start)[0]


def _clipping(path: str) -> Model:
    name = path.rpartition(".")[2]

    def clip(m: Interpreter, node: Site, args: Arguments) -> Value:
        """Gradients are scaled down in place; their state and their unit stay."""
        row = m.torch.clipping[path]
        given = _given(m, node, args.get("parameters", 0, UNKNOWN), name)
        tensors = tensors_of(m, [ref for ref, _ in m.all(given, Tensor)])
        grad, unit = joined_gradients(tensors)
        if args.get(BOUNDS.get(name, "max_norm"), 1, UNKNOWN) != Constant(inf):
            joint = row.returns == "norm"
            m.emit(events.GradientsClipped, node, parameters=tensors, grad=grad, unit=unit, joint=joint)
        for tensor in tensors:
            for _, gradient in m.all(tensor.gradient, Tensor):
                memory_written(m, gradient.storage, Change(sure=False, noticed=YES))
        return fresh(m, node, "norm", dtype=FLOAT, made=name) if row.returns == "norm" else NONE_VALUE

    return clip


MODELS |= {row.path: _clipping(row.path) for row in ROWS["clipping"]}


@models("torch.nn.utils.get_total_norm")
def _total_norm(m: Interpreter, node: Site, args: Arguments) -> Value:
    _given(m, node, args.get("tensors", 0, UNKNOWN), "get_total_norm")
    return fresh(m, node, "norm", dtype=FLOAT, made="get_total_norm")


@models("torch.nn.utils.parameters_to_vector", "torch.nn.utils.convert_parameters.parameters_to_vector")
def _joined(m: Interpreter, node: Site, args: Arguments) -> Value:
    """All parameters in one row, recorded as a copy."""
    given = _given(m, node, args.get("parameters", 0, UNKNOWN), "parameters_to_vector")
    refs = [ref for ref, _ in m.all(given, Tensor)]
    first = refs[0] if len(refs) == len(alternatives(given)) else given
    return apply(m, node, JOINING, [("parameters", first)], extra=[("parameters", ref) for ref in refs])


@models("torch.utils.swap_tensors")
def _swapped(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Two tensors become each other, in all hands; what is refused there leaves both as they were."""
    found = [m.all(value, Tensor) for value in args.values()]
    for mine, others in zip(found, found[::-1], strict=True):
        for ref, _ in mine:
            for _, tensor in others:
                m.store(ref, replace(tensor, grad=ANY_GRAD), sure=False)
    return NONE_VALUE


@models("torch.nn.utils.vector_to_parameters", "torch.nn.utils.convert_parameters.vector_to_parameters")
def _parted(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Each parameter keeps its handle and becomes a stretch of the vector's memory."""
    vector = m.only(args.get("vec", 0, UNKNOWN), Tensor)
    given = _given(m, node, args.get("parameters", 1, UNKNOWN), "vector_to_parameters")
    storage: tuple[Ref, ...] = vector.storage if vector is not None else (m.memory(node, "vector"),)
    inferring = vector.inference | m.state.inference if vector is not None else UNSURE
    for ref, tensor in m.all(given, Tensor):
        gradients_written(m, tensor.storage)
        m.store(ref, replace(tensor, storage=storage, alone=YES, inference=tensor.inference | inferring))
    return NONE_VALUE
