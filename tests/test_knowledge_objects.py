"""Row == measured for factories, optimizers, contexts and dtypes."""

from __future__ import annotations

import inspect
import sys
from functools import partial
from typing import Any

import numpy
import pytest
import torch

from gradlint.knowledge import DTYPES, PRECISIONS
from gradlint.knowledge.schema import ContextRow, Factory, OptimizerRow, PlainRow
from gradlint.testing.measuring import MODES, TABLES, kind_of, resolve, sample

torch.set_num_threads(1)

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("ignore::FutureWarning")]

REFUSALS = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError)


# ---- factories


def make(row: Factory, kind: str = "f", **keywords: Any) -> torch.Tensor:
    """What the example of a factory makes; `x` is a tensor of that kind."""
    function = {path: partial(resolve(path), **keywords) for path in row.paths}
    owner, _, name = row.paths[0].rpartition(".")
    x = sample(kind, (2, 2))
    if owner == "torch.Tensor":
        call = row.example.replace(f"x.{name}(", "f(x, ", 1)
    else:
        call = row.example.replace(f"{row.paths[0]}(", "f(", 1)
    made = eval(call, {"f": function[row.paths[0]], "x": x, "torch": torch, "np": numpy})  # examples are our own rows
    assert isinstance(made, torch.Tensor)
    return made


FACTORY_ROWS = tuple(dict.fromkeys(TABLES.factories.values()))
each_factory = pytest.mark.parametrize("row", FACTORY_ROWS, ids=lambda row: row.name)


@each_factory
def test_a_factory_gives_the_dtype_of_its_rule(row: Factory) -> None:
    if row.dtype == "like":
        for kind in "bifc":
            if kind in row.refuses:
                with pytest.raises(REFUSALS):
                    make(row, kind)
            else:
                assert kind_of(make(row, kind).dtype) == kind
    elif row.dtype == "default":
        for dtype in (torch.float32, torch.float64):
            torch.set_default_dtype(dtype)
            try:
                assert make(row).dtype is dtype
            finally:
                torch.set_default_dtype(torch.float32)
    else:
        assert kind_of(make(row).dtype) == (row.dtype if row.dtype in "bifc" else "f")


def test_data_decides_the_dtype_by_its_most_general_number() -> None:
    for make_one in (torch.tensor, torch.as_tensor, torch.asarray):
        for data, kind in (
            (1, "i"), (1.0, "f"), (True, "b"), (1j, "c"), ([], "f"), ([1, 2], "i"), ([1, 2.0], "f"), ([True, 2], "i"),
            ([True, False], "b"), ([1.0, 1j], "c"), ([[1], [2]], "i"), (numpy.ones(2), "f"),
            (numpy.ones(2, dtype="int32"), "i"), (torch.ones(2, dtype=torch.int8), "i"),
            ([torch.tensor(1), torch.tensor(2)], "i"),
        ):  # fmt: skip
            assert kind_of(make_one(data).dtype) == kind, (make_one, data)


def test_bounds_and_fill_values_decide_the_dtype() -> None:
    for bounds, kind in (((3,), "i"), ((3.0,), "f"), ((0, 3), "i"), ((0, 1, 0.5), "f")):
        assert kind_of(torch.arange(*bounds).dtype) == kind
    for value, kind in ((1, "i"), (1.0, "f"), (True, "b"), (1j, "c")):
        assert kind_of(torch.full((2,), value).dtype) == kind


@each_factory
def test_a_factory_takes_the_keywords_the_row_says(row: Factory) -> None:
    for taken, keywords in (
        (row.takes_dtype, {"dtype": torch.int32 if row.dtype == "i" else torch.float64}),
        (row.takes_requires_grad, {"requires_grad": False}),
    ):
        if row.dtype == "dtype":
            continue
        try:
            make(row, **keywords)
        except (TypeError, NotImplementedError):
            assert not taken
        else:
            assert taken


@each_factory
@pytest.mark.parametrize("mode", MODES)
def test_what_a_factory_makes_is_a_leaf_that_requires_grad_iff_asked_in_every_mode(row: Factory, mode: str) -> None:
    with MODES[mode]():
        plain = make(row)
        assert plain.is_leaf and plain.requires_grad == row.asks
        if row.takes_requires_grad:
            floating = {} if row.dtype in ("dtype", "like") or not row.takes_dtype else {"dtype": torch.float32}
            if row.name not in ("tril_indices", "triu_indices"):
                asked = make(row, requires_grad=True, **floating)
                assert asked.is_leaf and asked.requires_grad


@each_factory
def test_a_factory_of_whole_numbers_cannot_require_grad(row: Factory) -> None:
    if not (row.takes_requires_grad and row.takes_dtype) or row.dtype == "dtype":
        pytest.skip("takes no such keywords")
    try:
        make(row, dtype=torch.int64)
    except REFUSALS:
        pytest.skip("makes no whole numbers")
    with pytest.raises(RuntimeError, match="floating point"):
        make(row, dtype=torch.int64, requires_grad=True)


def test_what_shares_memory_does() -> None:
    array = numpy.ones(2, dtype="float32")
    tensor = torch.ones(2)
    assert {row.name for row in FACTORY_ROWS if row.shares} == {
        "as_tensor", "asarray", "from_numpy", "frombuffer", "Parameter", "Buffer"
    }  # fmt: skip
    for made in (
        torch.as_tensor(array),
        torch.asarray(array),
        torch.from_numpy(array),
        torch.frombuffer(array, dtype=torch.float32),
    ):
        assert made.data_ptr() == array.ctypes.data
    for made in (torch.nn.Parameter(tensor), torch.nn.Buffer(tensor)):
        assert made.data_ptr() == tensor.data_ptr() and made is not tensor
    assert torch.as_tensor(tensor) is tensor and torch.asarray(tensor) is tensor
    assert torch.tensor(array).data_ptr() != array.ctypes.data


# ---- optimizers


OPTIMIZER_ROWS = tuple(TABLES.optimizers.values())
each_optimizer = pytest.mark.parametrize("row", OPTIMIZER_ROWS, ids=lambda row: row.path)


def optimizer_over(row: OptimizerRow) -> tuple[Any, torch.nn.Parameter]:
    """An optimizer as in the row's example and its one parameter, with a gradient (sparse where it wants one)."""
    parameter = torch.nn.Parameter(torch.ones(2, 2))
    made = eval(row.example, {"torch": torch, "p": [parameter]})
    gradient = torch.ones(2, 2)
    parameter.grad = gradient.to_sparse() if "Sparse" in row.path else gradient
    return made, parameter


def test_every_optimizer_of_torch_has_a_row() -> None:
    classes = {
        n
        for n in dir(torch.optim)
        if inspect.isclass(c := getattr(torch.optim, n)) and issubclass(c, torch.optim.Optimizer)
    }
    assert classes - {"Optimizer"} == {path.rpartition(".")[2] for path in TABLES.optimizers}


@each_optimizer
def test_a_step_writes_its_parameters_in_place_and_needs_a_closure_iff_the_row_says(row: OptimizerRow) -> None:
    optimizer, parameter = optimizer_over(row)
    version, memory = parameter._version, parameter.data_ptr()

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = (parameter * parameter).sum()
        loss.backward()
        return loss

    if row.needs_closure:
        with pytest.raises(TypeError):
            optimizer.step()
        optimizer.step(closure)
    else:
        assert optimizer.step() is None
    assert parameter._version > version or row.needs_closure
    assert not torch.equal(parameter, torch.ones(2, 2))
    assert parameter.data_ptr() == memory and parameter.is_leaf and parameter.requires_grad
    assert bool(optimizer.state[parameter]) == row.keeps_state


@each_optimizer
def test_zero_grad_clears_to_none_unless_told_otherwise(row: OptimizerRow) -> None:
    optimizer, parameter = optimizer_over(row)
    if "Sparse" not in row.path:
        optimizer.zero_grad(set_to_none=False)
        assert parameter.grad is not None and not parameter.grad.any()
    optimizer.zero_grad()
    assert parameter.grad is None


def test_an_optimizer_refuses_no_parameters_and_non_leaves() -> None:
    with pytest.raises(ValueError, match="empty parameter list"):
        torch.optim.SGD([], lr=0.1)
    with pytest.raises(ValueError, match="non-leaf"):
        torch.optim.SGD([torch.ones(2, requires_grad=True) * 2], lr=0.1)
    torch.optim.SGD([torch.ones(2)], lr=0.1)


# ---- contexts


def modes() -> tuple[bool, bool]:
    """Whether gradients are on and whether inference mode is."""
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled()


def effect(row: ContextRow, argument: bool | None) -> tuple[bool, bool]:
    """The modes inside, from gradients on."""
    if row.to == "inference":
        return (argument is False, argument is not False)
    return (row.to == "on" or (row.to == "argument" and argument is True), False)


@pytest.mark.parametrize("path", TABLES.contexts)
def test_a_context_sets_the_mode_and_gives_it_back(path: str) -> None:
    row, cls = TABLES.contexts[path], resolve(path)
    for outer in (torch.enable_grad, torch.no_grad):
        for argument in {"argument": (True, False), "inference": (None, True, False)}.get(row.to, (None,)):
            with outer():
                before = modes()
                with cls(*(() if argument is None else (argument,))):
                    wanted = effect(row, argument)
                    assert modes() == wanted
                if not row.on_call:
                    assert modes() == before


@pytest.mark.parametrize("path", TABLES.contexts)
def test_a_context_works_as_a_decorator_as_its_row_says(path: str) -> None:
    row, cls = TABLES.contexts[path], resolve(path)
    arguments = (False,) if row.to == "argument" else ()
    assert cls(*arguments)(modes)() == effect(row, False if arguments else None)
    torch.set_grad_enabled(True)
    if row.bare_decorator:
        assert cls(modes)() == effect(row, None)
    else:
        try:
            decorated = cls(modes)
            assert not callable(decorated) or decorated is not modes
            with pytest.raises(TypeError):
                decorated()
        except TypeError:
            pass
        finally:
            torch.set_grad_enabled(True)
    assert modes() == (True, False)


@pytest.mark.parametrize("path", TABLES.contexts)
def test_the_class_itself_is_no_context(path: str) -> None:
    with pytest.raises(TypeError), resolve(path):
        pass


@pytest.mark.parametrize("path", TABLES.contexts)
def test_calling_alone_changes_the_mode_only_where_the_row_says(path: str) -> None:
    row = TABLES.contexts[path]
    try:
        made = resolve(path)(*((False,) if row.to == "argument" else ()))
        assert (modes() != (True, False)) == row.on_call
        del made
    finally:
        torch.set_grad_enabled(True)


# ---- dtypes and plain things


def test_every_dtype_has_its_kind() -> None:
    for path, kind in DTYPES.items():
        assert kind_of(resolve(path)) == kind


def test_every_precision_is_the_dtype_of_that_name() -> None:
    for path, name in PRECISIONS.items():
        assert resolve(path) is getattr(torch, name)


@pytest.mark.parametrize("name", sorted(set(PRECISIONS.values())))
def test_a_cast_gives_the_operand_itself_iff_it_has_the_precision_of_the_row(name: str) -> None:
    tensor = torch.ones(2, dtype=getattr(torch, name))
    casts = {path: row.results[0].precision for path, row in TABLES.operations.items() if row.results[0].precision}
    assert len(casts) == len(set(PRECISIONS.values()))
    for path, precision in casts.items():
        made = resolve(path)(tensor)
        assert made.dtype is getattr(torch, precision)
        assert (made is tensor) == (name == precision)


@pytest.mark.parametrize("row", [row for row in TABLES.plain.values() if row.returns], ids=lambda row: row.path)
def test_plain_attributes_and_methods_give_no_tensor(row: PlainRow) -> None:
    tensor, name = torch.ones(1, 1, requires_grad=True), row.path.rpartition(".")[2]
    version = tensor._version
    arguments = {"is_same_size": (tensor,), "is_set_to": (tensor,), "__contains__": (1.0,), "__format__": ("",)}
    calls_back = name.startswith("register_")
    given = getattr(tensor, name)
    if callable(given):
        given = given(*((lambda t: None,) if calls_back else arguments.get(name, ())))
    assert type(given).__name__.lower().removesuffix("storage") in (
        row.returns.lower(),
        "untyped" if row.returns == "storage" else row.returns.lower(),
    )
    assert tensor._version == version and tensor.requires_grad and tensor.is_leaf


NOT_RUN = ("exit", "quit", "breakpoint", "input", "open", "sleep")
RUNNABLE = [
    row
    for row in TABLES.harmless.values()
    if row.path.startswith(("builtins.", "math.", "json.", "pprint.", "pickle.dumps", "itertools."))
    and not row.path.endswith(NOT_RUN)
]


@pytest.mark.parametrize("row", RUNNABLE, ids=lambda row: row.path)
def test_what_is_harmless_neither_changes_nor_keeps_a_tensor(row: PlainRow) -> None:
    function = resolve(row.path)
    for wrap in (lambda t: (t,), lambda t: ([t],), lambda t: (t, t), lambda t: ("%s", t), lambda t: (t, "shape")):
        tensor = torch.ones(1, requires_grad=True)
        version, count = tensor._version, sys.getrefcount(tensor)
        try:
            given = function(*wrap(tensor))
        except Exception:  # what does not take a tensor so cannot harm it
            continue
        assert (tensor._version, tensor.requires_grad, tensor.is_leaf) == (version, True, True)
        if row.returns in ("bool", "int", "float", "str"):
            assert type(given).__name__ == row.returns
        if row.returns == "none":
            assert given is None
        del given
        assert sys.getrefcount(tensor) == count
