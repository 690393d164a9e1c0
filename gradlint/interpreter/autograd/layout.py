"""How the elements of a tensor lie in memory: what is contiguous can be seen in another shape without a copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradlint.domain.facts import UNSURE, YES, Truth
from gradlint.domain.fields import Aspect, unknown
from gradlint.domain.objects import Container, Tensor
from gradlint.domain.values import NONE_VALUE, Constant, PythonNumber, Value
from gradlint.interpreter.autograd.operands import Operand
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.knowledge.schema import Factory, Operation
from gradlint.knowledge.shapes import Told
from gradlint.knowledge.shapes.memory_format import (
    FORMATTED,
    GIVEN_AS_IT_IS,
    IN_ORDER,
    ITSELF_AS_DEEP,
    ITSELF_IN_ORDER,
    KEEPING_ORDER,
    KEEPING_ORDER_BY_NUMBERS,
    VIEWS_IN_ORDER,
)

UNKNOWN_LAYOUT = unknown(Tensor, Aspect.LAYOUT)
"""What is known of a tensor's sizes, and of how it lies in memory, once it may have been given other memory."""


def of_results(row: Operation, operands: Sequence[Operand], told: Told) -> Truth:
    """Whether what an operation gives is contiguous."""
    kept = _by_numbers(told) if row.name in KEEPING_ORDER_BY_NUMBERS else row.name in KEEPING_ORDER
    if not kept or _may_be_told_an_order(row, told):
        return UNSURE
    return YES if all(_in_order(one) for one in operands if one.tensor is not None or not one.known) else UNSURE


def _may_be_told_an_order(row: Operation, told: Told) -> bool:
    return row.name in FORMATTED and told.more


def _by_numbers(told: Told) -> bool:
    """Whether what stands between the brackets is whole numbers."""
    key = told.by_name.get("key")
    return all(type(one) is int for one in (key if isinstance(key, tuple) else (key,)))


def _in_order(one: Operand) -> bool:
    return one.tensor is not None and not one.tensor.may_be_structured and one.tensor.contiguous is YES


def handles(
    row: Operation, first: Operand, told: Told, measures: Mapping[str, Any], kinds: frozenset[str]
) -> frozenset[str]:
    """Which handles of these kinds an operation may give, by how its first operand lies and how deep the result is."""
    if first.tensor is None or first.tensor.may_be_structured:
        return kinds
    left, ordered = kinds, _in_order(first) and not _may_be_told_an_order(row, told)
    if ordered and row.name in VIEWS_IN_ORDER:
        left -= COPY
    if ordered and row.name in ITSELF_IN_ORDER:
        left &= ITSELF
    before, after = first.tensor.size, measures.get("size")
    if row.name in ITSELF_AS_DEEP and before is not None and after is not None:
        left = left & ITSELF if len(before) == len(after) else left - ITSELF
    return left or kinds


ITSELF, COPY = frozenset({"self"}), frozenset({"fresh"})


def of_factory(m: Interpreter, row: Factory, bound: Mapping[str, Value]) -> Truth:
    """Whether a new tensor is contiguous: it is made of numbers, or like one that is."""
    if bound.keys() & {"memory_format", "layout"}:
        return UNSURE
    if row.name.endswith("_like"):
        like = m.only(bound.get("input", NONE_VALUE), Tensor)
        return YES if like is not None and not like.may_be_structured and like.contiguous is YES else UNSURE
    data = bound.get("data", NONE_VALUE)
    listed = type(data) in (Constant, PythonNumber) or m.only(data, Container) is not None
    return YES if row.name in IN_ORDER and listed else UNSURE


def of_parameters(args: Arguments) -> dict[str, Any]:
    """Return what is known of how the parameters lie that a layer makes."""
    return {"contiguous": UNSURE if args.unknown or args.keywords.keys() & GIVEN_AS_IT_IS else YES}
