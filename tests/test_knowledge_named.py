"""Tuples of results have the names in torch that they are said to have, and others have none."""

from __future__ import annotations

import pytest
import torch

from gradlint.knowledge.properties.named_results import NAMES
from gradlint.testing.measuring import OPERATION_ROWS, TABLES, call, resolve

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::UserWarning")]
SEVERAL = [(row, path) for row in OPERATION_ROWS if row.bundle == "tuple" and row.measured for path in row.paths]


def _names(given: tuple[torch.Tensor, ...]) -> tuple[str, ...]:
    """What the parts of a tuple are called, in their order."""
    names = [name for name in dir(given) if name not in dir(tuple) and isinstance(getattr(given, name), torch.Tensor)]
    return tuple(sorted(names, key=lambda name: [part is getattr(given, name) for part in given].index(True)))


@pytest.mark.parametrize(("row", "path"), SEVERAL, ids=[path for _, path in SEVERAL])
def test_results_have_the_names_they_are_said_to_have(row, path):
    assert _names(call(row, resolve(path.partition(" ")[0]), "f" * len(row.operands)).raw) == NAMES.get(row.name, ())


@pytest.mark.parametrize(
    "row", [row for row in TABLES.modules.values() if row.call != "none"], ids=lambda row: row.path
)
def test_what_layers_give_has_the_names_it_is_said_to_have(row):
    given = eval(f"{row.example}({row.input})")
    assert (_names(given) if isinstance(given, tuple) else ()) == NAMES.get(row.path.rpartition(".")[2], ())
