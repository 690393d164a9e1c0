"""Row == measured for what replaces a parameter of a module, and for what puts it back."""

from __future__ import annotations

import pytest
import torch
import torch.nn.utils.prune

from gradlint.knowledge.modules.reparametrizations import RESTORING
from gradlint.knowledge.schema import ReparametrizationRow
from gradlint.testing.measuring import TABLES, resolve

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")

each_row = pytest.mark.parametrize("row", TABLES.reparametrizations.values(), ids=lambda row: row.path)


@each_row
@pytest.mark.parametrize("frozen", [False, True])
def test_a_reparametrization_leaves_what_its_row_says(row: ReparametrizationRow, frozen: bool) -> None:
    m = torch.nn.Linear(2, 2).requires_grad_(not frozen)
    old = m.weight
    assert eval(row.example) is m  # examples are our own rows
    parameters = dict(m.named_parameters())
    assert set(parameters) == {"bias", *row.parameters}
    assert any(one is old for one in parameters.values()) is (len(row.parameters) == 1)
    assert {name for name, _ in m.named_buffers()} == set(row.buffers)
    assert not any(buffer.requires_grad for buffer in m.buffers())
    assert all(parameters[name].requires_grad is (row.asks or not frozen) for name in row.parameters)
    m(torch.ones(2, 2))
    assert not isinstance(m.weight, torch.nn.Parameter)
    assert m.weight.requires_grad is not m.weight.is_leaf
    assert m.weight.requires_grad is (row.asks or not frozen)
    with torch.no_grad():
        m(torch.ones(2, 2))
        assert not m.weight.requires_grad or row.buffers == ("weight_mask",)


@pytest.mark.parametrize(("path", "undone", "same"), RESTORING)
def test_what_undoes_a_reparametrization_leaves_a_parameter(path: str, undone: str, same: bool) -> None:
    m = torch.nn.Linear(2, 2)
    eval(TABLES.reparametrizations[undone].example)
    m(torch.ones(2, 2)).sum().backward()
    before = dict(m.named_parameters())
    takes_name = path.rpartition(".")[2] in ("remove", "remove_parametrizations")
    assert resolve(path)(m, *(["weight"] if takes_name else [])) is m
    assert isinstance(m.weight, torch.nn.Parameter)
    assert m.weight.requires_grad
    assert any(m.weight is each for each in before.values()) is same
    assert (m.weight.grad is not None) is same
    assert {name for name, _ in m.named_parameters()} == {"weight", "bias"}
    assert not list(m.buffers())
