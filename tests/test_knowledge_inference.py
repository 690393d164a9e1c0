"""Of which operands made in inference mode torch hears outside of it is what the knowledge says."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from gradlint.knowledge.properties.inference_operands import (
    HEARD_ALONE,
    NUMBERS_APART,
    OWN,
    UNHEARD,
    UNKNOWN_ALONE,
    UNKNOWN_BESIDE,
    accompanies,
    hears,
)
from gradlint.knowledge.schema import Operation
from gradlint.testing import measuring
from gradlint.testing.measuring import (
    ATTRIBUTE_ROWS,
    LETTERS,
    NUMBERS,
    OPERATION_ROWS,
    Operands,
    accepted,
    call,
    functions,
    inexact,
    operand_names,
    words,
)

torch.set_num_threads(1)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::FutureWarning")

ROWS = [
    row
    for row in (*OPERATION_ROWS, *ATTRIBUTE_ROWS)
    if row.measured and not row.writes and any(result.differentiable for result in row.results)
]
SHAPES = ((), (1,), (2,), (2, 2), (1, 2, 2), (2, 2, 2, 2))
GIVEN = (True, False, 0, 1, 2, -1, 0.5, "none", "sum", (0,), (0, 1))
"""What is handed over for parameters that are no operands."""


def as_it_is(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def turned(tensor: torch.Tensor) -> torch.Tensor:
    """The same elements, laid out column by column."""
    return tensor.mT.contiguous().mT if tensor.dim() > 1 else tensor


def spread(tensor: torch.Tensor) -> torch.Tensor:
    """The same elements, every second place left out."""
    return torch.stack([tensor, tensor], -1)[..., 0]


LAYOUTS = (as_it_is, turned, spread)


def flags(row: Operation, function: Any, word: str, example: str, there: frozenset[int], asking: int) -> Any:
    """Which results require grad, where this operand asks and these are made in inference mode. None where torch
    refuses: not if what it refuses is to keep one of them, which it does for what is recorded."""
    try:
        outcome = call(row, function, Operands(word, frozenset([asking]), there=there), example=example)
    except Exception as error:  # what is handed over at random may be refused by anything
        return "recorded" if "cannot be saved for backward" in str(error) else None
    return [seen.requires_grad for seen in outcome.results if seen.kind != "self"]


def calls(row: Operation) -> Iterator[tuple[Operation, Any, str, str]]:
    """Calls of the row: all its examples with all kinds, and some of other shapes or with more that is handed over."""
    names = operand_names(row)
    for function in functions(row):
        for word, example in itertools.product(accepted(row), (row.example, *row.others)):
            yield row, function, word, example
        some = [word for word in words(row, absent=True) if set(word) <= set("fF-")]
        shapes = itertools.product(SHAPES, repeat=len(names)) if len(names) < 3 else ()
        for word, shape in itertools.product(some, (*shapes, row.shapes)):
            yield replace(row, shapes=shape), function, word, row.example
    operands = {name.removeprefix("*") for name in row.operands}
    for name in [name for name in row.parameters if name not in operands | {"out", "dtype", "inplace"}]:
        for given, example in itertools.product(
            GIVEN, (row.example, *row.others, f"f({', '.join(LETTERS[: len(names)])})")
        ):
            yield row, partial(functions(row)[0], **{name.lstrip("*"): given}), "f" * len(names), example


def told(row: Operation, word: str, there: frozenset[int], asking: int) -> bool | None:
    """Whether the knowledge says that the operand is heard of."""
    names = operand_names(row)
    company = [i not in there for i, letter in enumerate(word) if letter.islower()]
    company += [accompanies(row.name, names[i], NUMBERS[kind]) for i, kind in enumerate(word) if kind.isupper()]
    return None if None in company else hears(row.name, names[asking], beside=any(company))


def compared(row: Operation) -> Iterator[tuple[bool | None, Any, Any, tuple[Any, ...]]]:
    """What is told of each way to make some operands in inference mode, which flags are then on, and which would be."""
    for shaped, function, word, example in calls(row):
        tensors = [i for i, letter in enumerate(word) if letter.islower()]
        asking = [i for i in inexact(word) if any(flags(shaped, function, word, example, frozenset(), i) or ())]
        for i, count in itertools.product(asking, range(1, len(tensors) + 1)):
            outside = flags(shaped, function, word, example, frozenset(), i)
            for there in [frozenset(one) for one in itertools.combinations(tensors, count) if i in one]:
                found = flags(shaped, function, word, example, there, i)
                if found is not None:
                    yield told(row, word, there, i), found, outside, (word, example, shaped.shapes, there, i, function)


def hold_to_torch(row: Operation) -> None:
    """What is told of an operation is what torch hears."""
    for said, found, outside, how in compared(row):
        if said is True:
            assert found in ("recorded", outside), how
        if said is False:
            assert found != "recorded" and not any(found), how


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.paths[0])
def test_what_is_heard_of_inference_operands(row: Operation, layout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    accepted(row)
    sample = measuring.sample
    monkeypatch.setattr(measuring, "sample", lambda kind, shape: layout(sample(kind, shape)))
    hold_to_torch(row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.paths[0])
def test_what_is_heard_where_operands_are_cast(row: Operation) -> None:
    accepted(row)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hold_to_torch(row)


@pytest.mark.parametrize("cast", [False, True])
@pytest.mark.parametrize("name", sorted(OWN))
def test_layers_hear_of_parameters_of_their_own(name: str, cast: bool) -> None:
    layer, _, parameter = name.partition(" ")
    for size, frozen in itertools.product(((2,), (1, 2), (3, 2), (2, 3, 2), (0, 2), (2, 1, 3, 2)), (False, True)):
        with torch.inference_mode():
            module = getattr(torch.nn, layer)(2, 3)
        for other, tensor in module.named_parameters():
            if frozen and other != parameter:
                tensor.requires_grad_(False)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=cast):
            result = module(torch.rand(size))
        result.float().sum().backward()
        assert getattr(module, parameter).grad is not None, size


def test_exceptions_are_of_operations_and_their_operands() -> None:
    names = {row.name for row in ROWS}
    operands = {f"{row.name} {name}" for row in ROWS for name in operand_names(row)}
    assert names >= HEARD_ALONE | UNKNOWN_ALONE
    assert operands >= UNHEARD | NUMBERS_APART
    assert names | operands >= UNKNOWN_BESIDE
    assert not HEARD_ALONE & UNKNOWN_ALONE and not UNHEARD & UNKNOWN_BESIDE


KEEPING_WRITES = [
    row
    for row in OPERATION_ROWS
    if row.saves and not row.unchecked and sum(name in row.writes for name in operand_names(row)) == 1
]
WRITTEN_SHAPES = ((2, 2), (2, 3), (2,), (2, 2, 2))


def _writes(row: Operation) -> Iterator[tuple[Operation, str, frozenset[int], frozenset[int]]]:
    """A row in several shapes, with the kinds of its operands (complex ones aside), those made in inference mode, and
    those that require grad: what is written always does."""
    names = operand_names(row)
    target = next(place for place, name in enumerate(names) if name in row.writes)
    sized = [row] if row.shapes else [replace(row, shapes=(shape,) * len(names)) for shape in WRITTEN_SHAPES]
    for one, word in itertools.product(sized, [word for word in words(row) if set(word) <= set("fFib-")]):
        others = [place for place, letter in enumerate(word) if letter in "fib" and place != target]
        can_ask = [place for place in inexact(word) if place != target]
        for there, asked in itertools.product(_subsets(others), _subsets(can_ask)):
            if there and target in inexact(word):
                yield one, word, there, asked | {target}


def _subsets(places: list[int]) -> list[frozenset[int]]:
    return [frozenset(some) for count in range(len(places) + 1) for some in itertools.combinations(places, count)]


@pytest.mark.parametrize("row", KEEPING_WRITES, ids=lambda row: row.name)
@pytest.mark.parametrize("autocast", [False, True])
def test_a_write_that_keeps_an_inference_tensor_is_refused_and_no_other(row: Operation, autocast: bool) -> None:
    names, tried = operand_names(row), 0
    for one, word, there, asked in _writes(row):
        saved = measuring.expected_saves(row, word, asked)
        for function, example in itertools.product(functions(row), (row.example, *row.others)):
            if not measuring.attempt(one, function, word, example=example):
                continue
            refused, tried = "", tried + 1
            try:
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled=autocast):
                    call(one, function, Operands(word, asked, there=there), example=example)
            except RuntimeError as error:
                refused = str(error)
            if any(names[place] in saved for place in there):
                assert "Inference tensors cannot be saved" in refused, (word, there, asked)
            else:
                assert not refused, (word, there, asked)
    assert tried or not any(_writes(row))
