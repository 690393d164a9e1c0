"""What layers are told when they are made, by name or by place, decides which tensors they have: as in torch."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from gradlint.knowledge.modules.arguments import POSITIONS
from gradlint.knowledge.schema import ModuleRow
from gradlint.testing.measuring import TABLES, resolve
from tests.fuzz import compare

RECURRENT = {"RNN": ("nonlinearity",), "LSTM": (), "GRU": ()}
"""Layers whose constructors hand all on to that of their base, and what they take before that."""
OTHERS = {
    "weight": "torch.ones(3)",
    "pos_weight": "torch.ones(3)",
    "num_layers": "2",
    "proj_size": "1",
    "kdim": "3",
    "vdim": "3",
    "dtype": "torch.float64",
}
"""What is given for arguments that are no switches."""
ROWS = list(TABLES.modules.values())


def _parameters(cls: Any) -> dict[str, inspect.Parameter]:
    """The arguments of a constructor by name."""
    name = cls.__name__
    first = 2 if name in RECURRENT else 1  # behind `self`, and behind `mode`
    made = torch.nn.RNNBase if name in RECURRENT else cls
    found = list(inspect.signature(made.__init__).parameters.items())[first:]
    keyword = inspect.Parameter.KEYWORD_ONLY
    more = [(one, inspect.Parameter(one, keyword, default="tanh")) for one in RECURRENT.get(name, ())]
    return dict(found[:3] + more + found[3:])


@pytest.mark.parametrize("name", POSITIONS)
def test_arguments_stand_where_it_is_said(name: str) -> None:
    names = list(_parameters(getattr(torch.nn, name)))
    told = POSITIONS[name]
    assert told == {keyword: names.index(keyword) for keyword in told}


TOLD = {keyword for told in POSITIONS.values() for keyword in told}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.path)
def test_no_argument_of_the_kind_is_left_out(row: ModuleRow) -> None:
    name = row.path.rpartition(".")[2]
    plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
    takes = {one for one, at in _parameters(resolve(row.path)).items() if at.kind is plain and one in TOLD}
    several = {"num_layers"} if name.startswith(("TransformerE", "TransformerD")) else set()
    assert takes - several <= {*POSITIONS.get(name, {}), *(("proj_size",) if name in RECURRENT else ())}


def _calls(row: ModuleRow) -> Iterator[str]:
    """The making of a layer as in the row, and with each switch the other way, by its name and by its place."""
    parameters = list(_parameters(resolve(row.path)).items())
    given = len(ast.parse(row.example, mode="eval").body.args)  # type: ignore[attr-defined]
    start = row.example[:-1] + (", " if given or "=" in row.example else "")
    yield row.example
    for index, (name, at) in enumerate(parameters):
        value = OTHERS.get(name, str(not at.default) if isinstance(at.default, bool) else None)
        if index < given or value is None or name.startswith("_"):
            continue
        yield f"{start}{name}={value})"
        before = [repr(one.default) for _, one in parameters[given:index]]
        yield f"{start}{', '.join([*before, value])})"


def _program(call: str) -> str | None:
    """A program that asks a layer for all its tensors; None where torch does not make it."""
    try:
        module = eval(call)
    except Exception:
        return None
    own = [*module.named_parameters(), *module.named_buffers()]
    names = {name for name, _ in own if name.isidentifier()}
    absent = [name for name in ("weight", "bias", "pos_weight", "running_mean", "bias_k") if hasattr(module, name)]
    lines = ["import torch", f"m = {call}"]
    lines += [f"reveal(m.{name})" for name in sorted(names)]
    lines += [f"reveal(m.{name} is None)" for name in absent]
    for each in ("m.parameters()", "m.buffers()", "m.state_dict().values()"):
        lines += [f"for one in {each}:", "    reveal(one)"]
    lines += ["m.requires_grad_(False)", "for one in m.parameters():", "    reveal(one)"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.path)
def test_a_layer_has_the_tensors_that_it_is_told_to(row: ModuleRow) -> None:
    programs = {call: program for call in _calls(row) if (program := _program(call)) is not None}
    assert programs
    wrong = {call: found for call, program in programs.items() if (found := compare(program).disagreements)}
    assert not wrong
