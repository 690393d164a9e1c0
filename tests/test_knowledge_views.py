"""What is said to be a view of hidden memory is one in torch, and nothing else is."""

from __future__ import annotations

import pytest
import torch

from gradlint.knowledge import MODULE_ROWS, OPERATION_ROWS
from gradlint.knowledge.properties.hidden_views import VIEWS_OF_HIDDEN
from gradlint.knowledge.schema import Operation
from gradlint.testing.measuring import call, resolve, words

MEASURED = sorted({row.name for row in OPERATION_ROWS if row.measured and " " not in row.name})
LAYERS = {row.path.rpartition(".")[2]: row for row in MODULE_ROWS if row.call != "none" and row.result.kind == "fresh"}

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


def shown(row: Operation) -> bool:
    """Whether some call of the row gives a new tensor that is a view and may require grad."""
    for path, word in ((path, word) for path in row.paths for word in words(row)):
        try:
            outcome = call(row, resolve(path.partition(" ")[0]), word)
        except (RuntimeError, TypeError, IndexError, ValueError):
            continue
        several = isinstance(outcome.raw, tuple | list) and row.bundle
        for seen, value in zip(outcome.results, outcome.raw if several else (outcome.raw,), strict=False):
            if seen.kind == "fresh" and seen.dtype in "fc" and value.layout is torch.strided and value._is_view():
                return True
    return False


@pytest.mark.parametrize("name", MEASURED)
def test_an_operation_gives_a_view_of_hidden_memory_iff_it_is_said_to(name: str) -> None:
    assert (name in VIEWS_OF_HIDDEN) == any(shown(row) for row in OPERATION_ROWS if row.name == name and row.measured)


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_a_layer_gives_a_view_of_hidden_memory_iff_it_is_said_to(name: str) -> None:
    row = LAYERS[name]
    module, arguments = eval(row.example), eval(f"({row.input},)")
    with torch.no_grad():
        given = module(*arguments)
    assert (name in VIEWS_OF_HIDDEN) == (given[0] if isinstance(given, tuple) else given)._is_view()


def test_a_gradient_may_be_a_view_of_hidden_memory() -> None:
    leaf = torch.rand(2, 2, requires_grad=True)
    assert torch.autograd.grad(leaf.sum(), [leaf])[0]._is_view()
    assert "autograd.grad" in VIEWS_OF_HIDDEN


def test_no_other_name_is_said() -> None:
    assert not VIEWS_OF_HIDDEN.difference(MEASURED, LAYERS, {"autograd.grad"})
