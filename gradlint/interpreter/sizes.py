"""Sizes: whether a tensor has one element, or at most two dimensions, as far as that is known without shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from gradlint.domain import (
    NO,
    NONE_VALUE,
    NOTHING,
    UNSURE,
    YES,
    Const,
    Container,
    Module,
    Named,
    Scalar,
    Tensor,
    Truth,
    Value,
    truth,
)
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.operands import Operand
from gradlint.knowledge.rows import Factory, ModuleRow, Operation
from gradlint.knowledge.sizes import (
    ARRANGING,
    ELEMENTWISE,
    FLATTENING,
    FOLLOWING,
    GROWING,
    MOST_PLANAR,
    NOT_DEEPER,
    PLANAR_LAYERS,
    REDUCING,
    REDUCTIONS,
    SPREADING,
)

UNKNOWN_SIZES = {"scalar": UNSURE, "planar": UNSURE}
"""What is known of a tensor's sizes once it may have been given others."""

KEEPING = ELEMENTWISE | ARRANGING
FIRST = FOLLOWING | GROWING
ADDING = GROWING | SPREADING


def of_elements(row: Operation, operands: Sequence[Operand]) -> Truth:
    """Whether what an operation gives that keeps the number of elements, or adds some, is one: as its operands are."""
    if row.name in FIRST:
        operands = operands[:1]
    elif row.name not in KEEPING and row.name not in SPREADING:
        return UNSURE
    told = [UNSURE if one.tensor is None else one.tensor.scalar for one in operands if one.tensor or not one.known]
    if NO in told:
        return NO
    return YES if told and row.name not in ADDING and all(one is YES for one in told) else UNSURE


def of_call(it: Interpreter, row: Operation, bound: Mapping[str, Value]) -> Truth:
    """Whether what an operation gives is one element, as far as its arguments say."""
    if row.name in REDUCING:
        return YES if "dim" not in bound else UNSURE
    if "reduction" not in row.parameters or bound.keys() & {"size_average", "reduce"}:
        return UNSURE
    return reduced(it, bound.get("reduction", Const("mean")), bound.get("input", NONE_VALUE))


def reduced(it: Interpreter, reduction: Value, given: Value) -> Truth:
    """Whether a loss with this `reduction=` is one element; without one it has as many as what it is given."""
    whole = REDUCTIONS.get(reduction.value) if type(reduction) is Const and type(reduction.value) is str else None
    if whole is None:
        return UNSURE
    tensor = it.only(given, Tensor)
    return YES if whole or (tensor is not None and tensor.scalar is YES) else NO


def of_factory(it: Interpreter, row: Factory, bound: Mapping[str, Value], positional: list[Value]) -> Truth:
    """Whether a new tensor has one element, by literal sizes or data."""
    data = it.only(bound["data"], Container) if "data" in bound else None
    if data is not None and data.rest == NOTHING:
        return NO if len(data.items) > 1 else UNSURE
    if row.dtype == "like" and row.parameters == ("input",):
        like = it.only(bound.get("input", NONE_VALUE), Tensor)
        return UNSURE if like is None else like.scalar
    sizes = _sizes(it, row, positional)
    numbers = [one.value for one in sizes if type(one) is Const and type(one.value) is int]
    return truth(prod(numbers) == 1) if numbers and len(numbers) == len(sizes) else UNSURE


def _sizes(it: Interpreter, row: Factory, positional: list[Value]) -> list[Value]:
    """The sizes that a factory is given, one by one; none where they are not known."""
    if row.parameters[:1] != ("size",):
        return []
    if positional and (listed := it.only(positional[0], Container)) is not None:
        return [value for _, value in listed.items] if listed.rest == NOTHING else []
    several = len(positional) > 1 and row.parameters == ("size",)
    return positional if several or all(type(one) is Const and type(one.value) is int for one in positional) else []


def planar_factory(it: Interpreter, row: Factory, bound: Mapping[str, Value], positional: list[Value]) -> Truth:
    """Whether a new tensor has at most two dimensions, by its sizes or data."""
    if "data" in bound and len(positional) <= len(row.parameters):  # `FloatTensor(2, 3, 4)` is given sizes
        return YES if _is_planar(it, bound["data"], MOST_PLANAR) else UNSURE
    if row.dtype == "like" and row.parameters == ("input",):
        like = it.only(bound.get("input", NONE_VALUE), Tensor)
        return UNSURE if like is None else like.planar
    count = len(_sizes(it, row, positional))
    return truth(count <= MOST_PLANAR) if count else UNSURE


def _is_planar(it: Interpreter, data: Value, most: int) -> bool:
    """Whether data certainly has no more dimensions than that."""
    if type(data) in (Const, Scalar):
        return True
    listed = it.only(data, Container)
    if listed is None or listed.rest != NOTHING or not most:
        return False
    return all(_is_planar(it, one, most - 1) for _, one in listed.items)


def planar_parameters(row: ModuleRow) -> Truth:
    """Whether the parameters of a layer have at most two dimensions."""
    return YES if row.path.rpartition(".")[2] in PLANAR_LAYERS else UNSURE


def planar_result(row: Operation, operands: Sequence[Operand]) -> Truth:
    """Whether what an operation gives has at most two dimensions: as all its operands have, or by its nature."""
    if row.name in FLATTENING:
        return YES
    planar = all(one.known if one.tensor is None else one.tensor.planar is YES for one in operands)
    return YES if planar and row.name in NOT_DEEPER else UNSURE


def of_parameters(args: Arguments) -> Truth:
    """Whether a layer's parameters have one element each: they have several where all its whole numbers are larger."""
    numbers = [one.value for one in args.values() if type(one) is Const and type(one.value) is int]
    known = not args.unknown and all(type(one) in (Const, Named) for one in args.values())
    return NO if known and numbers and min(numbers) > 1 else UNSURE


def of_layer(it: Interpreter, layer: Module) -> Truth:
    """Whether what a layer gives is one element: certainly not where each of the parameters it was made with has
    several."""
    held = [tensor for _, value in layer.attributes for _, tensor in it.all(value, Tensor)]
    own = [tensor for tensor in held if tensor.parameter.may(YES)]
    return NO if own and all(one.scalar is NO and one.marks[:1] == layer.marks[:1] for one in own) else UNSURE
