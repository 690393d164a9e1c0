"""Row == measured for what operations write: what comes of it, what records it, and which views forbid it."""

from __future__ import annotations

import itertools
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import pytest
import torch

from gradlint.knowledge.properties.zeroing import KEEPING_SOME, KEEPING_ZEROS
from gradlint.knowledge.schema import Operation
from gradlint.testing.measuring import (
    LETTERS,
    MEASURED_ROWS,
    MODES,
    Operands,
    accepted,
    attempt,
    call,
    functions,
    inexact,
    operand_names,
    richest,
)

torch.set_num_threads(1)

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

WRITING = [row for row in MEASURED_ROWS if row.writes]


@pytest.mark.parametrize("name", sorted(KEEPING_ZEROS))
def test_some_writes_leave_zeros_alone(name: str) -> None:
    for row in [row for row in WRITING if row.name == name]:
        for function, word in itertools.product(functions(row), accepted(row)):
            outcome = attempt(replace(row, example=row.example.replace("x", "x.zero_()")), function, word)
            assert outcome is not None and not outcome.raw.any(), word
        assert accepted(row)
    assert any(row.name == name for row in WRITING)


@pytest.mark.parametrize("name", sorted(KEEPING_SOME))
def test_some_writes_go_on_from_what_is_there(name: str) -> None:
    told = []
    for row in [row for row in WRITING if row.name == name]:
        for function, word in itertools.product(functions(row), accepted(row)):
            asked = (replace(row, example=row.example.replace("x", f"x.fill_({old})")) for old in (-3, 3))
            first, second = (attempt(one, function, word) for one in asked)
            if first is not None and second is not None:
                told.append(first.raw.any() and second.raw.any() and (first.raw != second.raw).any())
    assert any(told)


@pytest.mark.parametrize("row", WRITING, ids=lambda row: row.paths[0])
def test_a_leaf_that_requires_grad_is_written_only_unchecked(row: Operation) -> None:
    names, word = operand_names(row), richest(row)
    asking = frozenset(i for i in inexact(word) if names[i] in row.writes and not row.rejects(names[i], word))
    if not asking:
        pytest.skip("what it writes is never a float leaf that requires grad")
    for function in functions(row):
        for mode in MODES:
            outcome = attempt(row, function, Operands(word, asking, leaf_written=True), mode=mode)
            assert (outcome is None) == (mode == "on" and not row.unchecked and not row.in_no_grad)
            if outcome is not None and row.results[0].kind == "self":
                assert (outcome.results[0].requires_grad, outcome.results[0].leaf) == (True, True)


@pytest.mark.parametrize("row", WRITING, ids=lambda row: row.paths[0])
def test_a_write_is_recorded_as_the_row_says(row: Operation) -> None:
    names, word = operand_names(row), richest(row)
    left = {*row.writes, *row.ignores}
    asking = frozenset(i for i in inexact(word) if names[i] not in left and not row.rejects(names[i], word))
    if not asking:
        pytest.skip("nothing else that it is given requires grad")
    expected = {name for name in row.writes if row.records_write(name) and not row.in_no_grad}
    for function in functions(row):
        outcome = call(row, function, Operands(word, asking))
        assert outcome.recorded == expected, word


def test_what_is_written_on_a_condition_is_not_without() -> None:
    rows = [row for row in WRITING if row.writes_if]
    assert rows
    for row in rows:
        for function in functions(row):
            assert call(row, function, richest(row)).written == set(row.writes)
            assert not call(row, partial(function, **{row.writes_if: False}), richest(row)).written


VIEWING = [row for row in MEASURED_ROWS if row.bundle == "list" and row.results[0].kind == "view"]


@pytest.mark.parametrize("row", VIEWING, ids=lambda row: row.paths[0])
def test_views_made_at_once_are_not_written_where_that_is_recorded(row: Operation) -> None:
    shapes = [*row.shapes, *[(2, 2)] * len(LETTERS)]
    for function in functions(row):
        operands = [torch.rand(shape, requires_grad=True) * 2 for shape in shapes]
        given = dict(zip(LETTERS, operands, strict=False))
        views = eval(row.example, given | {"f": function, "torch": torch})
        with pytest.raises(RuntimeError, match="multiple views") if row.together else nullcontext():
            views[0].t_() if row.name == "meshgrid" else views[0].mul_(2)  # a grid's elements share memory


OUT = [row for row in MEASURED_ROWS if row.takes_out]


@pytest.mark.parametrize("row", OUT, ids=lambda row: row.paths[0])
def test_out_is_written_and_returned(row: Operation) -> None:
    word, asked = richest(row), []
    asking = frozenset(inexact(word))
    for function in functions(row):
        plain = call(row, function, word)
        out = torch.full_like(plain.raw, 77)
        outcome = attempt(row, partial(function, out=out), word)
        if outcome is None:
            continue
        assert outcome.raw is out and not (out == 77).any()
        assert attempt(row, partial(function, out=out), Operands(word, asking), mode="no_grad")
        asked.append(attempt(row, partial(function, out=torch.empty_like(out)), Operands(word, asking)))
    if row.results[0].differentiable:
        assert any(asked) == row.out_unchecked
