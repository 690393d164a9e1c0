"""Sizes: what `gradlint.knowledge.shapes.element_count` says of the elements of results is what torch does."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from itertools import product
from math import prod

import pytest
import torch

from gradlint.domain import YES, Tensor, truth
from gradlint.events import Recorded
from gradlint.interpreter.nn.module import OLD_REDUCTIONS
from gradlint.knowledge.shapes.element_count import (
    ARRANGING,
    ELEMENTWISE,
    FLATTENING,
    FOLLOWING,
    GROWING,
    MOST_PLANAR,
    NOT_DEEPER,
    PLANAR_LAYERS,
    REDUCING,
    REDUCTIONS,
    RESIZING,
    SPREADING,
)
from gradlint.knowledge.shapes.outline import of_size
from gradlint.testing.measuring import (
    ATTRIBUTE_ROWS,
    LETTERS,
    OPERATION_ROWS,
    TABLES,
    Operands,
    call,
    operand_names,
    resolve,
    sample,
    words,
)
from gradlint.testing.widening import heard_events

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::UserWarning")]
ROWS = {row.name: row for row in reversed(OPERATION_ROWS) if not row.writes}


@pytest.mark.parametrize("name", sorted(ELEMENTWISE))
def test_elementwise_operations_keep_the_number_of_elements(name):
    row = ROWS[name]
    operands = [sample("f", (2, 3)) for _ in row.operands]
    function = resolve(row.paths[0])
    result = function(*operands, dim=1) if name in ("softmax", "log_softmax") else _called(function, operands)
    assert result.numel() == 6


@pytest.mark.parametrize("name", sorted(ARRANGING))
def test_what_arranges_elements_keeps_their_number(name):
    rows = [row for row in (*OPERATION_ROWS, *ATTRIBUTE_ROWS) if row.name == name]
    layer = TABLES.modules.get(f"torch.nn.{name}")
    assert layer or rows
    for row in rows:
        function = (lambda x: getattr(x, name)) if row in ATTRIBUTE_ROWS else resolve(row.paths[0])
        size = prod(row.shapes[0]) if row.shapes else 4
        for example in (row.example, *row.others):
            given = call(row, function, "f", example=example).raw
            assert {one.numel() for one in (given if row.bundle else [given])} == {size}
    if layer:
        (given,) = eval(f"({layer.input},)")
        assert eval(layer.example)(given).numel() == given.numel()


@pytest.mark.parametrize("name", sorted(FOLLOWING | GROWING | SPREADING))
def test_what_follows_or_adds_elements_has_no_fewer_than_its_operands(name):
    rows = [row for row in (*OPERATION_ROWS, *ATTRIBUTE_ROWS) if row.name == name and not row.writes]
    shown = 0
    calls = [(row, word) for row in rows for word in words(row) if word[0] == "f"]
    for row, word in calls:
        for example in (row.example, *row.others):
            try:
                given = call(row, resolve(row.paths[0].partition(" ")[0]), word, example=example).raw
            except (RuntimeError, TypeError, IndexError, ValueError):
                continue
            operands = [one for one in Operands(word).made(row) if isinstance(one, torch.Tensor)]
            least = max(one.numel() for one in (operands if name in SPREADING else operands[:1]))
            sizes = {one.numel() for one in (given if row.bundle else [given])}
            assert min(sizes) == least if name in FOLLOWING else min(sizes) >= least, (word, example)
            shown += 1
    assert shown


@pytest.mark.parametrize("name", sorted(NOT_DEEPER | FLATTENING))
def test_what_does_not_deepen_gives_no_more_dimensions_than_a_matrix_has(name):
    rows = [row for row in (*OPERATION_ROWS, *ATTRIBUTE_ROWS) if row.name == name and not row.writes]
    calls, shown = [(row, word) for row in rows for word in words(row)], 0
    for row, word in calls:
        function = (lambda x: getattr(x, name)) if row in ATTRIBUTE_ROWS else resolve(row.paths[0].partition(" ")[0])
        for example in (row.example, *row.others):
            try:
                given = call(row, function, word, example=example).raw
            except (RuntimeError, TypeError, IndexError, ValueError):
                continue
            operands = [one for one in Operands(word).made(row) if isinstance(one, torch.Tensor)]
            if max(one.dim() for one in operands) <= MOST_PLANAR:
                assert all(one.dim() <= MOST_PLANAR for one in _tensors(given)), (word, example)
                shown += 1
    layer = TABLES.modules.get(f"torch.nn.{name}")
    if layer:
        assert eval(layer.example)(torch.rand(2, 2)).dim() == MOST_PLANAR
    assert shown or layer


@pytest.mark.parametrize("name", sorted(PLANAR_LAYERS))
def test_parameters_of_layers_have_no_more_dimensions_than_a_matrix(name):
    row = TABLES.modules[f"torch.nn.{name}"]
    layer = eval(row.example)
    layer(*eval(f"({row.input},)"))  # a lazy one gets its parameters
    assert {one.dim() <= MOST_PLANAR for one in layer.parameters()} <= {True}


FACTS = {
    "scalar": lambda x: x.numel() == 1,
    "planar": lambda x: x.dim() <= MOST_PLANAR,
    "shape": lambda x: of_size(tuple(x.shape)),
    "size": lambda x: tuple(x.shape),
    "contiguous": lambda x: x.is_contiguous(),
}


@pytest.mark.parametrize("name", sorted(RESIZING))
def test_what_resizes_changes_what_is_said_of_sizes(name):
    (row,) = [row for row in OPERATION_ROWS if row.name == name]
    strided = [((1, 1, 1), (1, 1, 1)), ((2, 2), (1, 2))]
    told = {"unsqueeze_": [(0,)], "as_strided_": strided, "transpose_": [(0, 1)]}.get(name, [()])
    changed = set()
    for given, size in product(told, ((2, 3), (1, 4), (1, 2, 3))):
        written = torch.rand(size)
        if name != "t_" or written.dim() == MOST_PLANAR:
            before = {fact: ask(written) for fact, ask in FACTS.items()}
            resolve(row.paths[0])(written, *given)
            changed |= {fact for fact, ask in FACTS.items() if ask(written) != before[fact]}
    assert changed == set(RESIZING[name])


@pytest.mark.sampled(15)
@pytest.mark.parametrize(
    "row", [row for row in OPERATION_ROWS if row.writes and row.measured], ids=lambda row: row.name
)
def test_no_other_write_changes_how_large_something_is_or_how_it_lies(row):
    if row.name in RESIZING:
        pytest.skip("this one does")
    names, seen = operand_names(row), 0
    given = [row, *(replace(row, shapes=(size,) * len(names)) for size in ((2, 3), (1, 3), (2, 1, 3)))]
    for sized, word, example in product(given, words(row), (row.example, *row.others)):
        for place in (place for place, name in enumerate(names) if name in row.writes or f"*{name}" in row.writes):
            letter = LETTERS[place]
            before, after = f"{letter}.shape", f"({example}, {letter})"
            try:
                sizes = call(sized, resolve(row.paths[0]), word, example=f"({before}, {after})").raw
            except (TypeError, RuntimeError, ValueError, IndexError, NotImplementedError):
                continue
            seen += 1
            size, (_, written) = sizes
            assert written.shape == size and written.is_contiguous()
    assert seen


def _tensors(given):
    return [one for one in (given if isinstance(given, tuple | list) else [given]) if isinstance(one, torch.Tensor)]


def _called(function, operands):
    try:
        return function(*operands)
    except (TypeError, RuntimeError):
        return function(operands[0], min=0.0)


@pytest.mark.parametrize("name", sorted(REDUCING))
def test_reducing_operations_leave_one_element(name):
    function = resolve(ROWS[name].paths[0])
    assert function(sample("f", (2, 3))).numel() == 1
    assert function(sample("f", (2, 3)), dim=0).numel() == 3


LOSSES = [row for row in TABLES.modules.values() if row.call == "loss"]


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("row", LOSSES, ids=lambda row: row.path)
def test_a_loss_that_is_told_nothing_gives_one_number(row):
    makes = inspect.signature(resolve(row.path).__init__).parameters
    assert makes["reduction"].default == "mean"
    assert OLD_REDUCTIONS.issuperset(name for name in makes if name.startswith(("reduce", "size")))
    assert _recorded(f"layer = {row.example}\nlayer({row.input})\n")[-1].scalar is YES
    assert eval(f"({row.example})({row.input})").numel() == 1  # our own row


@pytest.mark.parametrize(("reduction", "whole"), REDUCTIONS.items())
def test_reductions_of_losses(reduction, whole):
    given = sample("f", (2, 3))
    loss = torch.nn.functional.kl_div(given.log(), given, reduction=reduction)
    assert (loss.numel() == 1) == whole


NUMBER = r"\b\d+\b(?!\.)"
LAYERS = [
    row for row in TABLES.modules.values() if row.call != "none" and any("." not in name for name in row.parameters)
]


@pytest.mark.parametrize("row", LAYERS, ids=lambda row: row.path)
def test_parameters_of_layers_whose_numbers_are_large_have_several_elements(row):
    """With the numbers of the example, and with ones and twos in all their places, where torch takes them."""
    names = [name for name in row.parameters if "." not in name]
    places = len(re.findall(NUMBER, row.example))
    for numbers in product("12", repeat=min(places, 4)):
        given = iter(numbers)
        example = re.sub(NUMBER, lambda found: next(given, found.group()), row.example)  # noqa: B023
        try:
            layer = eval(example)
        except (ValueError, AssertionError):
            continue
        asked = "".join(f"layer.{name}.exp()\n" for name in names)
        for name, result in zip(names, _recorded(f"layer = {example}\n{asked}"), strict=True):
            parameter = getattr(layer, name)
            is_built = parameter is not None and not torch.nn.parameter.is_lazy(parameter)
            assert not is_built or result.scalar.may(truth(parameter.numel() == 1)), (example, name)
        try:
            given = eval(f"layer({row.input})", {"torch": torch, "layer": layer})
        except (RuntimeError, ValueError, IndexError, AssertionError):
            continue
        if row.call in ("layer", "two"):
            told = _recorded(f"layer = {example}\nlayer({row.input})\n")[-1]
            assert told.scalar.may(truth(given.numel() == 1)), example


def _recorded(text):
    return [event.result for event in heard_events(f"import torch\n{text}") if type(event) is Recorded]


@pytest.mark.parametrize(
    ("expression", "scalar"),
    [
        ("F.mse_loss(x, x)", "yes"),
        ("F.mse_loss(x, x, reduction='none')", "no"),
        ("F.mse_loss(x, x, reduction='none').mean()", "yes"),
        ("F.mse_loss(x, x, reduction='none').mean(1)", "?"),
        ("F.mse_loss(x, x, reduction=how)", "?"),
        ("F.mse_loss(x.sum(), x.sum(), reduction='none')", "yes"),
        ("nn.MSELoss(reduction='none')(x, x)", "no"),
        ("nn.MSELoss(reduction='none')(x, x) * 2", "no"),
        ("nn.MSELoss()(x, x)", "yes"),
        ("nn.MSELoss(reduce=False)(x, x)", "?"),
        ("nn.MSELoss(True, False)(x, x)", "?"),
        ("nn.MSELoss(None, None, 'none')(x, x)", "no"),
        ("nn.MSELoss(*how)(x, x)", "?"),
        ("nn.MSELoss()(x, x) + x.sum()", "yes"),
        ("torch.ones(3) * 2", "no"),
        ("torch.ones(3).expand(2, 3)", "no"),
        ("torch.ones(1).expand(3)", "no"),
        ("torch.ones(1).expand(n)", "?"),
        ("torch.ones(1).index_add(0, i, torch.ones(3))", "yes"),
        ("torch.outer(torch.ones(1), torch.ones(3))", "no"),
        ("torch.ones((1, 1)).exp()", "yes"),
        ("torch.ones(n).exp()", "?"),
        ("torch.tensor([1.0, 2.0]) ** 2", "no"),
        ("x @ x", "?"),
        ("torch.ones(3, 1).view(-1).t()", "no"),
        ("torch.ones(1).data.reshape(1, 1)", "yes"),
        ("nn.PReLU()(torch.ones(3))", "no"),
        ("nn.Linear(3, 2, device=how).weight.abs()", "no"),
        ("nn.Linear(3, 2, dtype=torch.float64).weight.abs()", "no"),
        ("nn.Linear(3, 1).bias.abs()", "yes"),
        ("nn.Linear(3, 1).weight.abs()", "no"),
        ("nn.Linear(3, 1)(torch.ones(2, 3))", "no"),
        ("nn.GRU(3, 2)(x)[0].abs()", "no"),
        ("nn.Linear(3, 2)(x)", "no"),
        ("nn.Linear(3, 1)(x)", "?"),
        ("nn.Linear(3, 1, bias=False)(x)", "?"),
        ("nn.Linear(3, 2, bias=False)(x)", "no"),
        ("nn.Embedding(9, 1)(x)", "?"),
        ("nn.GRUCell(3, 1)(x)", "?"),
        ("nn.LSTM(3, 1)(x)[0].abs()", "?"),
        ("nn.Bilinear(2, 3, 1, bias=False)(x, x)", "?"),
        ("torch.sort(torch.empty_strided((3,), (1,)))[0] * 2", "no"),
        ("nn.Linear(n, 2).bias.abs()", "no"),
        ("nn.Linear(n, 1).weight.abs()", "?"),
        ("torch.zeros_like(nn.LayerNorm(3).bias).abs()", "no"),
        ("nn.Parameter(torch.ones(2, 2).detach()) * 2", "no"),
        ("nn.Parameter(x.detach()) * 2", "?"),
    ],
)
def test_what_is_known_of_a_size(expression, scalar):
    start = "from torch import nn\nimport torch.nn.functional as F\n"
    text = f"{start}def f(x: torch.Tensor, how, n):\n    return {expression}\n"
    last = _recorded(text)[-1]
    assert type(last) is Tensor
    assert str(last.scalar) == scalar
