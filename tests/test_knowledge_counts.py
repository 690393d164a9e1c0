"""Counts of writes: what torch notices of a write is what gradlint says of it, by whatever handle either happens."""

from __future__ import annotations

import itertools

import pytest

from gradlint.knowledge.schema import Operation
from gradlint.testing.measuring import LETTERS, OPERATION_ROWS, operand_names
from tests.fuzz import compare

pytestmark = pytest.mark.torch

MODIFIED = "has been modified by an inplace operation"

ALIKE = ("x", "x.detach()", "x.view(4)", "nn.Parameter(x, requires_grad=False)", "torch.asarray(x)")
"""Handles that share the count of what they are made of."""
ALONE = (
    "x.data",
    "x.data.view(4)",
    "x.data.detach()",
    "copy.copy(x)",
    "torch.from_numpy(x.numpy())",
    "torch.as_tensor(x.numpy())",
    "given(torch.zeros(2, 2), x)",
    "parted(nn.Parameter(torch.zeros(2, 2), requires_grad=False), x)",
)
"""Handles with a count of their own."""

START = """\
import copy
import torch
import torch.nn as nn
def given(other, memory):
    other.data = memory
    return other
def parted(other, memory):
    nn.utils.vector_to_parameters(memory.view(4), [other])
    return other
weight = torch.rand(2, 2, requires_grad=True)
x = torch.rand(2, 2)
"""


@pytest.mark.parametrize(("saved", "written"), [*itertools.product(ALIKE + ALONE, repeat=2)])
def test_a_write_is_noticed_by_the_count_of_what_was_saved(saved: str, written: str) -> None:
    text = f"{START}saved, written = {saved}, {written}\n"
    compared = compare(f"{text}out = weight * saved.view(2, 2)\nwritten.add_(1)\nout.sum().backward()\n")
    assert not compared.disagreements
    noticed = (MODIFIED, True) in compared.refusals or (MODIFIED, False) in compared.refusals
    assert noticed == (saved in ALIKE and written in ALIKE)
    assert not compared.missed


@pytest.mark.parametrize("handle", ALONE)
def test_what_counts_alone_notices_writes_through_itself(handle: str) -> None:
    text = f"{START}saved = {handle}\nout = weight * saved.view(2, 2)\nsaved.add_(1)\nout.sum().backward()\n"
    compared = compare(text)
    assert not compared.disagreements
    assert [reported for _, reported in compared.refusals.elements()] == [True]


@pytest.mark.parametrize(("saved", "written"), [*itertools.product(ALIKE, repeat=2)])
@pytest.mark.parametrize("handle", ALONE)
def test_what_counts_alone_shares_its_count_as_others_do(handle: str, saved: str, written: str) -> None:
    text = f"{START}x = {handle}\nsaved, written = {saved}, {written}\nout = weight * saved.view(2, 2)\n"
    compared = compare(f"{text}written.add_(1)\nout.sum().backward()\n")
    assert not compared.disagreements
    assert [reported for _, reported in compared.refusals.elements()] == [True]


@pytest.mark.parametrize(("saved", "written"), [*itertools.product(ALIKE, repeat=2)])
def test_a_handle_keeps_its_count_with_other_memory(saved: str, written: str) -> None:
    text = f"{START}saved = {saved}\nout = weight * saved.view(2, 2)\nx.data = torch.rand(2, 2)\n"
    compared = compare(f"{text}written = {written}\nwritten.add_(1)\nout.sum().backward()\n")
    assert not compared.disagreements
    assert [reported for _, reported in compared.refusals.elements()] == [True]


@pytest.mark.parametrize(
    "leaf", ["given(torch.zeros(2, 2, requires_grad=True), x)", "copy.copy(weight)", "nn.Parameter(x.data)"]
)
def test_autograd_hears_of_writes_to_leaves_that_count_alone(leaf: str) -> None:
    compared = compare(f"{START}leaf = {leaf}\nleaf.add_(1)\n")
    assert not compared.disagreements
    assert [reported for _, reported in compared.refusals.elements()] == [True]


IN_PLACE = [
    row for row in OPERATION_ROWS if row.writes and row.results[0].kind == "self" and len(operand_names(row)) > 1
]


@pytest.mark.parametrize("row", IN_PLACE, ids=lambda row: row.paths[0])
def test_what_is_written_may_be_an_operand_as_well(row: Operation) -> None:
    count, ran = len(operand_names(row)), False
    for place, asks in itertools.product(range(1, count), (False, True)):
        letters = dict(
            zip(LETTERS, ["x" if at in (0, place) else f"operands[{at}]" for at in range(count)], strict=False)
        )
        call = "".join(letters.get(letter, letter) for letter in row.example.removeprefix("f"))
        text = (
            "import torch\nimport operator\nweight = torch.rand(2, 2, requires_grad=True)\n"
            f"operands = [torch.rand(2, 2, requires_grad={asks}) for _ in range({count})]\n"
            f"x = weight * 1\n{row.paths[0]}{call}\nx.sum().backward()\n"
        )
        compared = compare(text)
        assert not compared.disagreements, text
        assert not [words for _, words in compared.missed if words == MODIFIED], text
        ran |= not compared.ended or MODIFIED in compared.ended
    if not ran:
        pytest.skip("torch takes no such operand twice")
