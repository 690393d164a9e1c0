"""Row == measured for the nn.Module classes of torch."""

from __future__ import annotations

import inspect
import itertools
from contextlib import nullcontext
from typing import Any

import pytest
import torch

from gradlint.interpreter.nn.module_methods import METHODS
from gradlint.knowledge.modules.arguments import POSITIONS
from gradlint.knowledge.modules.families import FAMILIES, public
from gradlint.knowledge.modules.settings import MODULE_NAMES, SETTINGS, SIZES
from gradlint.knowledge.schema import DTYPE_RULES, ModuleRow
from gradlint.testing.measuring import MODES, TABLES, kind_of, resolve, storage

torch.set_num_threads(1)

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("ignore::FutureWarning")]


def module_call(
    row: ModuleRow, *, frozen: bool, asks: bool, train: bool = True, mode: str = "on", but: frozenset[str] = frozenset()
) -> tuple[Any, Any, Any, set[str]]:
    """The module of a row's example (frozen or not `but` for these parameters), the arguments, what its call gave and
    the memories backward would read."""
    torch.default_generator.manual_seed(0)
    module = eval(row.example)  # examples are our own rows
    arguments = list(eval(f"({row.input},)"))
    if "Lazy" in row.path:
        module(*arguments)
    module.train(train)
    for name, parameter in module.named_parameters():
        parameter.requires_grad_(frozen == (name in but))
    if asks and arguments[0].is_floating_point():
        arguments[0].requires_grad_()
    kept: list[torch.Tensor] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        kept.append(tensor)
        return tensor

    with MODES[mode](), torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        given = module(*arguments)
    first = given[0] if isinstance(given, tuple) else given
    memories = {storage(first): "result"} | {storage(p): name for name, p in module.named_parameters()}
    for i, argument in enumerate(a for a in arguments if isinstance(a, torch.Tensor)):
        memories[storage(argument)] = ("input", "target")[i] if i < 2 else f"argument {i}"
    return module, arguments, given, {memories[storage(t)] for t in kept if storage(t) in memories}


CALLED = [row for row in TABLES.modules.values() if row.call != "none"]
each_module = pytest.mark.parametrize("row", CALLED, ids=lambda row: row.path)


@pytest.mark.parametrize("row", TABLES.modules.values(), ids=lambda row: row.path)
def test_a_module_has_the_parameters_and_buffers_of_its_row(row: ModuleRow) -> None:
    module = eval(row.example)
    if "Lazy" in row.path:
        module(*eval(f"({row.input},)"))
    assert type(module) is resolve(row.path) or "Lazy" in row.path
    assert tuple(name for name, _ in module.named_parameters()) == row.parameters
    assert tuple(name for name, _ in module.named_buffers()) == row.buffers
    assert all(p.is_leaf and p.requires_grad for p in module.parameters())
    assert not any(b.requires_grad for b in module.buffers())
    assert module.training


@pytest.mark.parametrize("row", TABLES.modules.values(), ids=lambda row: row.path)
def test_a_module_has_modules_inside_iff_a_parameter_of_its_row_is_called_so(row: ModuleRow) -> None:
    module = eval(row.example)
    inside = bool(list(module.children()))
    assert inside == any("." in name for name in row.parameters) or row.call in ("container", "none", "loss")
    assert [name for name, _ in module.named_modules()] == [""] or inside


def test_every_module_class_of_torch_has_a_row() -> None:
    classes = {
        n for n in dir(torch.nn) if inspect.isclass(c := getattr(torch.nn, n)) and issubclass(c, torch.nn.Module)
    }
    untold = {
        "Container",
        "DataParallel",
        "RNNBase",
        "RNNCellBase",
        "LinearCrossEntropyLoss",
    }
    assert classes - untold == {path.rpartition(".")[2] for path in TABLES.modules}


@each_module
def test_what_a_module_gives_requires_grad_iff_its_input_or_a_parameter_does(row: ModuleRow) -> None:
    for frozen, asks, mode in itertools.product((True, False), (True, False), MODES):
        module, arguments, given, _ = module_call(row, frozen=frozen, asks=asks, mode=mode)
        first = given[0] if isinstance(given, tuple) else given
        kind = result_kind(first, arguments[0])
        assert kind in row.result.kind.split(" or ")
        assert kind_of(first.dtype) == DTYPE_RULES[row.result.dtype](kind_of(arguments[0].dtype))
        asked = arguments[0].requires_grad or any(p.requires_grad for p in module.parameters())
        if mode == "on" and kind != "self":
            assert (first.requires_grad, first.is_leaf) == (asked, not asked)
        elif kind == "fresh":
            assert not first.requires_grad and first.is_leaf


def result_kind(result: torch.Tensor, given: torch.Tensor) -> str:
    if storage(result) != storage(given):
        return "fresh"
    return "self" if result is given else "view" if result._is_view() else "alias"


@pytest.mark.parametrize("row", [row for row in CALLED if " or " in row.result.kind], ids=lambda row: row.path)
def test_a_module_gives_each_kind_of_result_that_its_row_names(row: ModuleRow) -> None:
    module = eval(row.example)
    found = {result_kind(module(given), given) for given in map(eval, (row.input, *row.others))}
    assert found == set(row.result.kind.split(" or "))


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize("row", [row for row in CALLED if row.identity_in_eval], ids=lambda row: row.path)
def test_a_layer_gives_back_what_it_was_given_where_it_drops_nothing(row: ModuleRow, train: bool) -> None:
    given = eval(row.input).requires_grad_()
    for share in (0.0, 0.5):
        module = resolve(row.path)(share).train(train)
        idle = row.result.kind == "self" or not train or share == 0
        assert (module(given) is given) == idle


DROPPING = [f"torch.nn.{name}" for name in ("Dropout", "AlphaDropout", "FeatureAlphaDropout")]
DROPPING += [f"torch.nn.Dropout{dimensions}d" for dimensions in (1, 2, 3)]
"""Layers that keep a mask, unless they drop nothing: the rows do not tell."""


@each_module
def test_a_module_saves_what_its_row_says(row: ModuleRow) -> None:
    for frozen, asks in itertools.product((True, False), (True, False)):
        module, arguments, given, saved = module_call(row, frozen=frozen, asks=asks)
        first = given[0] if isinstance(given, tuple) else given
        if not first.requires_grad or row.result.kind == "self":
            continue
        holds = {
            "input": arguments[0].requires_grad,
            "parameters": any(p.requires_grad for p in module.parameters()),
            "": True,
        } | {name: parameter.requires_grad for name, parameter in module.named_parameters()}
        told = {entry.name for entry in row.savings if holds[entry.condition]}
        assert saved == told - {"own"}
        first.backward(torch.ones_like(first))
        with pytest.raises(RuntimeError, match="a second time") if told or row.path in DROPPING else nullcontext():
            first.backward(torch.ones_like(first))


@pytest.mark.parametrize("row", [row for row in CALLED if len(row.parameters) > 1], ids=lambda row: row.path)
def test_a_module_saves_what_its_row_says_where_some_parameters_are_frozen(row: ModuleRow) -> None:
    """What a part of it keeps in its own parameters is told for all of them alone."""
    for but, frozen, asks in itertools.product(row.parameters, (True, False), (True, False)):
        module, arguments, given, saved = module_call(row, frozen=frozen, asks=asks, but=frozenset({but}))
        first = given[0] if isinstance(given, tuple) else given
        if not first.requires_grad:
            continue
        holds = {"input": arguments[0].requires_grad, "": True, "parameters": False}
        holds |= {name: parameter.requires_grad for name, parameter in module.named_parameters()}
        told = [entry for entry in row.savings if "." not in entry.name]
        certain = {entry.name for entry in told if holds[entry.condition]}
        possible = certain | {entry.name for entry in told if entry.condition == "parameters"}
        assert certain - {"own"} <= {name for name in saved if "." not in name} <= possible, (but, frozen, asks)
        first.backward(torch.ones_like(first))
        if certain or not (possible or any("." in entry.name for entry in row.savings)):
            with pytest.raises(RuntimeError, match="a second time") if certain else nullcontext():
                first.backward(torch.ones_like(first))


@pytest.mark.parametrize("row", [row for row in CALLED if len(row.parameters) > 1], ids=lambda row: row.path)
def test_a_backward_to_one_parameter_frees_the_rest_unless_it_is_added_last(row: ModuleRow) -> None:
    assert {*row.adds} <= {*row.parameters}
    for name in row.parameters:
        module, _, given, _ = module_call(row, frozen=False, asks=True)
        first = given[0] if isinstance(given, tuple) else given
        ones = torch.ones_like(first)
        asked = torch.autograd.grad(first, dict(module.named_parameters())[name], ones, allow_unused=True)
        if asked != (None,):
            with nullcontext() if name in row.adds else pytest.raises(RuntimeError, match="a second time"):
                first.backward(ones)


@each_module
def test_a_module_in_eval_and_in_place_is_as_its_row_says(row: ModuleRow) -> None:
    _, arguments, given, _ = module_call(row, frozen=False, asks=True, train=False)
    assert ((given[0] if isinstance(given, tuple) else given) is arguments[0]) == row.identity_in_eval
    outputs = []
    module, arguments, _, _ = module_call(row, frozen=True, asks=False)
    for train in (True, False):
        torch.default_generator.manual_seed(1)
        given = module.train(train)(*arguments)
        outputs.append(given[0] if isinstance(given, tuple) else given)
    if not outputs[0].isnan().any():
        assert row.mixes_batch == (not torch.equal(*outputs))
    argument = eval(f"({row.input},)")[0]
    try:
        module = eval(row.example[:-1] + (", " if row.example[-2] != "(" else "") + "inplace=True)")
        writes = module(argument) is argument and argument._version > 0
        words = list(inspect.signature(type(module)).parameters)
        assert row.inplace_at == (words.index("inplace") if writes else None)
    except TypeError:
        assert row.inplace_at is None


@each_module
def test_a_module_call_has_the_shape_its_row_says(row: ModuleRow) -> None:
    _, arguments, given, _ = module_call(row, frozen=False, asks=False)
    tensors = [a for a in arguments if isinstance(a, torch.Tensor)]
    if row.call in ("rnn", "lstm", "pair", "attention", "with loss"):
        assert isinstance(given, tuple) and len(given) == 2
        assert isinstance(given[1], tuple) == (row.call == "lstm")
    else:
        assert isinstance(given, torch.Tensor)
        assert (len(tensors) == 1) == (row.call in ("layer", "container"))


@pytest.mark.parametrize("path", FAMILIES)
def test_the_classes_of_a_family_are_those_that_derive_from_it(path: str) -> None:
    base = resolve(path)
    assert {p for p in TABLES.modules if p != path and issubclass(resolve(p), base)} == FAMILIES[path]


def test_classes_outside_the_families_have_no_others_below_them() -> None:
    classes = {path: resolve(path) for path in TABLES.modules if path != "torch.nn.Module"}
    for path, base in classes.items():
        below = {p for p, cls in classes.items() if p != path and issubclass(cls, base)}
        assert below == FAMILIES.get(path, frozenset())


@pytest.mark.parametrize("path", TABLES.modules)
def test_the_public_name_of_a_class_is_that_of_its_row(path: str) -> None:
    cls = resolve(path)
    assert public(f"{cls.__module__}.{cls.__qualname__}") == path


PLAIN_THINGS = (bool, int, float, str, tuple, list, type(None))


@pytest.mark.parametrize("row", TABLES.modules.values(), ids=lambda row: row.path)
def test_what_a_module_remembers_of_its_making_is_told(row: ModuleRow) -> None:
    told = {name: value for name, value in vars(eval(row.example)).items() if name[0] != "_" and name != "training"}
    plain = {name for name, value in told.items() if isinstance(value, PLAIN_THINGS)}
    assert plain <= SIZES | SETTINGS
    assert all(type(told[name]) is int for name in SIZES & told.keys())


def test_every_name_of_a_module_is_told() -> None:
    public_names = {name for name in dir(torch.nn.Module()) if not name.startswith("_")}
    assert public_names == MODULE_NAMES | METHODS.keys() & public_names


@pytest.mark.torch
def test_return_indices_stands_where_it_is_said_to() -> None:
    kinds = inspect.getmembers(torch.nn, lambda one: inspect.isclass(one) and issubclass(one, torch.nn.Module))
    parameters = {name: list(inspect.signature(kind).parameters) for name, kind in kinds}
    found = {name: names.index("return_indices") for name, names in parameters.items() if "return_indices" in names}
    assert found == {name: told["return_indices"] for name, told in POSITIONS.items() if "return_indices" in told}
