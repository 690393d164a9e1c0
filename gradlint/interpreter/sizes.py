"""Sizes: whether a tensor has one element, as far as that is known without shapes."""

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
    Tensor,
    Truth,
    Value,
    truth,
)
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.core import Interpreter
from gradlint.knowledge.rows import Factory, Operation
from gradlint.knowledge.sizes import ARRANGING, ELEMENTWISE, FOLLOWING, GROWING, REDUCING, REDUCTIONS, SPREADING

KEEPING = ELEMENTWISE | ARRANGING
FIRST = FOLLOWING | GROWING
ADDING = GROWING | SPREADING


def of_elements(row: Operation, operands: Sequence[Tensor | None]) -> Truth:
    """Whether what an operation gives that keeps the number of elements, or adds some, is one: as its operands are."""
    if row.name in FIRST:
        operands = operands[:1]
    elif row.name not in KEEPING and row.name not in SPREADING:
        return UNSURE
    told = [operand.scalar for operand in operands if operand is not None]
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
    if row.parameters[:1] != ("size",):
        return UNSURE
    sizes = positional
    if sizes and (listed := it.only(sizes[0], Container)) is not None:
        sizes = [value for _, value in listed.items] if listed.rest == NOTHING else []
    numbers = [one.value for one in sizes if type(one) is Const and type(one.value) is int]
    return truth(prod(numbers) == 1) if numbers and len(numbers) == len(sizes) else UNSURE


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
