"""Precision: what `gradlint.knowledge.properties.same_precision` says of the numbers of results is what torch does."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import product

import pytest
import torch

from gradlint.knowledge.properties.same_precision import KEEPING_PRECISION, LESS_PRECISE
from gradlint.testing.measuring import LETTERS, OPERATION_ROWS, REFUSALS, TABLES, Operands, resolve, words

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::UserWarning")]

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
LOW = {getattr(torch, name) for name in LESS_PRECISE}
AUTOCAST = (None, torch.bfloat16, torch.float16)
LAYERS = {name: row for name in KEEPING_PRECISION if (row := TABLES.modules.get(f"torch.nn.{name}"))}


def _calls(name):
    """How what has this name is called: a function of what it is given, and that."""
    if name in LAYERS:
        yield eval(LAYERS[name].example), eval(f"({LAYERS[name].input},)")
    for row in (row for row in OPERATION_ROWS if row.name == name and not row.writes):
        written = [word for word in words(row) if set(word) <= set("fF-")]
        for path, word, example in product(row.paths, written, (row.example, *row.others)):
            scope = {"f": resolve(path.partition(" ")[0]), "torch": torch, "F": torch.nn.functional}

            def run(*given, code=example, scope=scope):
                return eval(code, scope | dict(zip(LETTERS, given, strict=False)))

            yield run, Operands(word).made(row)


@pytest.mark.parametrize("name", sorted(KEEPING_PRECISION))
def test_what_keeps_the_precision_gives_the_numbers_it_was_given(name):
    seen = 0
    for (run, operands), dtype, autocast in product(_calls(name), FLOATS, AUTOCAST):
        given = [one.to(dtype) if isinstance(one, torch.Tensor) else one for one in operands]
        try:
            with torch.autocast("cpu", dtype=autocast) if autocast else nullcontext():
                results = run(*given)
        except REFUSALS:
            continue
        for one in results if isinstance(results, tuple | list) else [results]:
            if isinstance(one, torch.Tensor) and one.is_floating_point():
                assert one.dtype is dtype or (autocast and dtype in LOW and one.dtype is torch.float32)
                seen += 1
    assert seen >= len(FLOATS)


@pytest.mark.parametrize("size", [(), (2, 2)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_number_does_not_change_what_a_tensor_is_made_of(dtype, size):
    given = torch.ones(size, dtype=dtype)
    for number in (2, 2.5):
        assert {one.dtype for one in (given * number, number - given, given**number, given / number)} == {dtype}
