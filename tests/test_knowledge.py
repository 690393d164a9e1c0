"""Row == measured: what the tables of `gradlint.knowledge` say is what the installed torch does."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy
import pytest
import torch

from gradlint.knowledge import (
    ATTRIBUTES,
    CONTEXTS,
    DTYPES,
    FACTORIES,
    HARMLESS,
    MODULES,
    OPERATION_ROWS,
    OPERATIONS,
    OPTIMIZERS,
    PLAIN,
)
from gradlint.knowledge.attributes import ATTRIBUTE_ROWS
from gradlint.knowledge.rows import DTYPE_RULES, ContextRow, Factory, ModuleRow, Operation, OptimizerRow, PlainRow
from gradlint.testing.measuring import (
    MODES,
    Outcome,
    answers,
    call,
    expected,
    expected_saves,
    filled,
    kind_of,
    operand_names,
    resolve,
    sample,
    storage,
    words,
)

torch.set_num_threads(1)

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

REFUSALS = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError)
MEASURED = [row for row in (*OPERATION_ROWS, *ATTRIBUTE_ROWS) if row.measured]

each_row = pytest.mark.parametrize("row", MEASURED, ids=lambda row: row.paths[0])


def functions(row: Operation) -> list[Any]:
    """The callable behind each spelling; an attribute is read."""
    if row in ATTRIBUTE_ROWS:
        return [lambda x, name=path.rpartition(".")[2]: getattr(x, name) for path in row.paths]
    return [resolve(path.partition(" ")[0]) for path in row.paths]


def attempt(row: Operation, function: Any, word: str, **how: Any) -> Outcome | None:
    """The outcome of a call, None where torch refuses it."""
    try:
        return call(row, function, word, **how)
    except REFUSALS:
        return None


@cache
def accepted(row: Operation) -> tuple[str, ...]:
    """The words that torch takes, by the row's first spelling."""
    function = functions(row)[0]
    return tuple(word for word in words(row) if attempt(row, function, word))


def inexact(word: str) -> list[int]:
    """The operands of a word that can require grad."""
    return [i for i, letter in enumerate(word) if letter in "fc"]


def askings(word: str, mode: str = "on") -> Iterator[frozenset[int]]:
    """No operand, all of them, and (with gradients on, where it matters which) each one alone requiring grad."""
    able = inexact(word)
    yield frozenset()
    if mode == "on" or len(word) < 3:
        yield from (frozenset([i]) for i in able)
    if len(able) > 1 or (able and mode != "on" and len(word) > 2):
        yield frozenset(able)


def richest(row: Operation) -> str:
    """The accepted word with the most floating point tensors."""
    return max(accepted(row), key=lambda word: (word.count("f"), -word.count("c")))


# ---- the tables


@pytest.mark.parametrize("table", [OPERATIONS, ATTRIBUTES, FACTORIES, MODULES, CONTEXTS, PLAIN])
def test_every_path_names_something_of_torch(table: Any) -> None:
    for path in table:
        assert resolve(path.partition(" ")[0]) is not None


def test_what_is_harmless_exists_where_its_library_is_installed() -> None:
    for path in HARMLESS:
        if path.startswith(
            ("builtins.", "torch.", "math.", "time.", "random.", "json.", "itertools.", "os.", "logging.")
        ):
            assert callable(resolve(path)), path


def test_no_path_is_in_two_rows() -> None:
    paths = [path for row in OPERATION_ROWS for path in row.paths]
    assert sorted(paths) == sorted(OPERATIONS)
    assert not OPERATIONS.keys() & FACTORIES.keys()
    assert not (OPERATIONS.keys() | FACTORIES.keys() | ATTRIBUTES.keys()) & PLAIN.keys()


def test_the_tables_cannot_be_written() -> None:
    with pytest.raises(TypeError):
        OPERATIONS["torch.add"] = OPERATIONS["torch.sub"]  # type: ignore[index]


@each_row
def test_a_row_speaks_of_its_own_operands(row: Operation) -> None:
    names = set(row.operands)
    assert names <= set(row.parameters)
    for listed in (row.numbers, row.optional, row.writes, row.ignores, row.rejects_grad):
        assert {entry.partition(": ")[0] for entry in listed} <= names
    bare = {name.removeprefix("*") for name in names}
    for entry in row.saves:
        name, _, condition = entry.partition(" if ")
        assert name.split(" ")[0] in bare | {"result"} and condition in bare | {"", "others"}
    assert all(result.dtype in DTYPE_RULES for result in row.results)


def _signatures(path: str) -> Iterator[tuple[str, ...]]:
    """The positional parameters of each overload of a function, where torch tells them."""
    try:
        signature = inspect.signature(resolve(path))
        yield tuple(
            ("*" if p.kind is p.VAR_POSITIONAL else "") + p.name
            for p in signature.parameters.values()
            if p.kind is not p.KEYWORD_ONLY and not p.name.startswith("_")
        )
    except (TypeError, ValueError):
        pass
    name = path.rpartition(".")[2]
    for prefix in ("", "linalg_", "special_", "fft_"):
        for schema in torch._C._jit_get_schemas_for_operator(f"aten::{prefix}{name}"):
            yield tuple("input" if a.name == "self" else a.name for a in schema.arguments if not a.kwarg_only)


UNTOLD = ("operator.", "builtins.", "torch.einsum", "torch.Tensor.where", "torch.Tensor.to", "torch.unique")
"""Where torch does not tell, or tells other names than those by which the parameters are passed."""


@pytest.mark.parametrize("row", OPERATION_ROWS, ids=lambda row: row.paths[0])
def test_parameters_are_those_of_an_overload(row: Operation) -> None:
    told = [tuple(name.lstrip("*") for name in s) for path in row.paths for s in _signatures(path.partition(" ")[0])]
    told = [tuple("input" if n in ("self", "A") and n not in row.operands else n for n in s) for s in told]
    told = [s for s in told if s[:1] != ("args",)]
    if not told or row.paths[0].startswith(UNTOLD):
        pytest.skip("torch does not tell")
    mine = tuple(name.lstrip("*") for name in row.parameters)
    assert any(s[: len(mine)] == mine or mine[: len(s)] == s for s in told), told


# ---- operations


@each_row
def test_an_operation_refuses_what_torch_refuses(row: Operation) -> None:
    for function in functions(row):
        for word in words(row):
            assert (attempt(row, function, word) is None) == row.refused(word), word


@each_row
@pytest.mark.parametrize("mode", MODES)
def test_results_are_as_the_row_says(row: Operation, mode: str) -> None:
    for function in functions(row):
        for word in accepted(row):
            for asking in askings(word, mode):
                names = operand_names(row)
                refused = mode == "on" and any(row.rejects(names[i], word) for i in asking)
                outcome = attempt(row, function, word, mode=mode, asking=asking)
                assert (outcome is None) == refused, (word, asking)
                if outcome is not None:
                    assert_as_said(row, outcome, word, mode, asking)


def assert_as_said(row: Operation, outcome: Outcome, word: str, mode: str, asking: frozenset[int]) -> None:
    """Each result and the memory written are those of the row."""
    assert outcome.written == {name.removeprefix("*") for name in row.writes}
    assert outcome.listed == (row.bundle != "" or row.results[0].kind == "list")
    if row.bundle == "tuple":
        assert len(outcome.results) == len(row.results)
    for index, seen in enumerate(outcome.results):
        kinds = answers(row, index if row.bundle == "tuple" else 0)
        assert seen.kind in kinds, (word, asking)
        assert seen == expected(row, word, mode, asking, index, seen.kind), (word, asking)
        if seen.dtype not in ("", word[0]) and "fresh" in kinds:
            assert seen.kind == "fresh", (word, asking)


@each_row
def test_every_kind_of_result_is_shown_by_an_example(row: Operation) -> None:
    for function in functions(row):
        outcomes = [
            attempt(row, function, word, example=e) for e in (row.example, *row.others) for word in accepted(row)
        ]
        for index in range(len(row.results)):
            chosen = [o.results if row.bundle == "list" else o.results[index : index + 1] for o in outcomes if o]
            assert {seen.kind for results in chosen for seen in results} == answers(row, index)


@each_row
def test_backward_reads_what_the_row_saves(row: Operation) -> None:
    if not any(result.differentiable for result in row.results):
        assert not row.saves
        return
    word, names = richest(row), operand_names(row)
    able = [i for i in inexact(word) if not row.rejects(names[i], word)]
    for function in functions(row):
        for size in range(1, len(able) + 1):
            for asking in map(frozenset, itertools.combinations(able, size)):
                outcome = call(row, function, word, asking=asking, watched=True)
                if any(seen.requires_grad for seen in outcome.results):
                    assert outcome.saved == expected_saves(row, asking), (word, asking)


@each_row
def test_an_operand_left_out_counts_as_of_the_first_kind(row: Operation) -> None:
    for word in words(row, absent=True) if row.optional else ():
        outcome = attempt(row, functions(row)[0], word)
        assert (outcome is None) == row.refused(filled(word)), word
        for asking in askings(word) if outcome else ():
            if any(row.rejects(operand_names(row)[i], filled(word)) for i in asking):
                continue
            outcome = call(row, functions(row)[0], word, asking=asking)
            for index, seen in enumerate(outcome.results):
                assert seen == expected(row, word, "on", asking, index, seen.kind), (word, asking)


WRITING = [row for row in MEASURED if row.writes]


@pytest.mark.parametrize("row", WRITING, ids=lambda row: row.paths[0])
def test_a_leaf_that_requires_grad_is_written_only_unchecked(row: Operation) -> None:
    names, word = operand_names(row), richest(row)
    asking = frozenset(i for i in inexact(word) if names[i] in row.writes and not row.rejects(names[i], word))
    if not asking:
        pytest.skip("what it writes is never a float leaf that requires grad")
    for function in functions(row):
        for mode in MODES:
            outcome = attempt(row, function, word, mode=mode, asking=asking, leaf_written=True)
            assert (outcome is None) == (mode == "on" and not row.unchecked and not row.in_no_grad)
    if row.in_no_grad:
        operand = torch.rand(2, 2, 2, requires_grad=True)
        assert (
            functions(row)[0](operand, *((0,) if "constant" in row.name else ())).is_leaf
            if "eye" not in row.name and "sparse" not in row.name
            else True
        )


@each_row
def test_keywords_do_what_the_flags_say(row: Operation) -> None:
    word = richest(row)
    plain = call(row, functions(row)[0], word)
    typed, placed, given = [], [], []
    for function in functions(row) if row not in ATTRIBUTE_ROWS else ():
        typed.append(attempt(row, partial(function, dtype=torch.float64), word))
        placed.append(attempt(row, partial(function, inplace=True), word))
        if isinstance(plain.raw, torch.Tensor) and plain.raw.layout is torch.strided and not row.writes:
            given.append(attempt(row, partial(function, out=torch.empty_like(plain.raw)), word))
    assert row.takes_dtype == any(getattr(o.raw, "dtype", None) is torch.float64 for o in typed if o)
    assert row.inplace_flag == any(o.results[0].kind == "self" and bool(o.written) for o in placed if o)
    assert row.takes_out == any(o is not None for o in given)


OUT = [row for row in MEASURED if row.takes_out]


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
        assert attempt(row, partial(function, out=out), word, mode="no_grad", asking=asking)
        asked.append(attempt(row, partial(function, out=torch.empty_like(out)), word, asking=asking))
    if row.results[0].differentiable:
        assert any(asked) == row.out_unchecked


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


FACTORY_ROWS = tuple(dict.fromkeys(FACTORIES.values()))
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
            ([True, False], "b"), ([1.0, 1j], "c"), ([[1], [2]], "i"), (numpy.ones(2), "f"), (numpy.ones(2, dtype="int32"), "i"),
            (torch.ones(2, dtype=torch.int8), "i"), ([torch.tensor(1), torch.tensor(2)], "i"),
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
            if row.name not in ("randint", "randperm") or floating:
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


# ---- modules


def module_call(
    row: ModuleRow, *, frozen: bool, asks: bool, train: bool = True, mode: str = "on"
) -> tuple[Any, Any, Any, set[str]]:
    """The module of a row's example, the arguments, what its call gave and the memories backward would read."""
    torch.default_generator.manual_seed(0)
    module = eval(row.example)  # examples are our own rows
    arguments = list(eval(f"({row.input},)"))
    if "Lazy" in row.path:
        module(*arguments)
    module.train(train)
    for parameter in module.parameters():
        parameter.requires_grad_(not frozen)
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


CALLED = [row for row in MODULES.values() if row.call != "none"]
each_module = pytest.mark.parametrize("row", CALLED, ids=lambda row: row.path)


@pytest.mark.parametrize("row", MODULES.values(), ids=lambda row: row.path)
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


def test_every_module_class_of_torch_has_a_row() -> None:
    classes = {
        n for n in dir(torch.nn) if inspect.isclass(c := getattr(torch.nn, n)) and issubclass(c, torch.nn.Module)
    }
    untold = {
        "Container",
        "DataParallel",
        "RNNBase",
        "RNNCellBase",
        "MaxUnpool1d",
        "MaxUnpool3d",
        "LinearCrossEntropyLoss",
    }
    assert classes - untold == {path.rpartition(".")[2] for path in MODULES}


@each_module
def test_what_a_module_gives_requires_grad_iff_its_input_or_a_parameter_does(row: ModuleRow) -> None:
    for frozen, asks, mode in itertools.product((True, False), (True, False), MODES):
        module, arguments, given, _ = module_call(row, frozen=frozen, asks=asks, mode=mode)
        first = given[0] if isinstance(given, tuple) else given
        kind = "self" if first is arguments[0] else ("view" if first._is_view() else "alias")
        assert (kind if storage(first) == storage(arguments[0]) else "fresh") == row.result.kind
        assert kind_of(first.dtype) == DTYPE_RULES[row.result.dtype](kind_of(arguments[0].dtype))
        asked = arguments[0].requires_grad or any(p.requires_grad for p in module.parameters())
        if row.result.kind == "self":
            assert first is arguments[0]
        elif mode == "on":
            assert (first.requires_grad, first.is_leaf) == (asked, not asked)
        elif row.result.kind == "fresh":
            assert not first.requires_grad and first.is_leaf


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
        }
        assert saved == {entry.partition(" if ")[0] for entry in row.saves if holds[entry.partition(" if ")[2]]}


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
        assert row.inplace == (module(argument) is argument and argument._version > 0)
    except TypeError:
        assert not row.inplace


@each_module
def test_a_module_call_has_the_shape_its_row_says(row: ModuleRow) -> None:
    _, arguments, given, _ = module_call(row, frozen=False, asks=False)
    tensors = [a for a in arguments if isinstance(a, torch.Tensor)]
    if row.call in ("rnn", "lstm", "pair") or "AdaptiveLog" in row.path:
        assert isinstance(given, tuple) and len(given) == 2
        assert isinstance(given[1], tuple) == (row.call == "lstm")
    else:
        assert isinstance(given, torch.Tensor)
        assert (len(tensors) == 1) == (row.call in ("layer", "container"))


# ---- optimizers


OPTIMIZER_ROWS = tuple(OPTIMIZERS.values())
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
    assert classes - {"Optimizer"} == {path.rpartition(".")[2] for path in OPTIMIZERS}


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


@pytest.mark.parametrize("path", CONTEXTS)
def test_a_context_sets_the_mode_and_gives_it_back(path: str) -> None:
    row, cls = CONTEXTS[path], resolve(path)
    for outer in (torch.enable_grad, torch.no_grad):
        for argument in {"argument": (True, False), "inference": (None, True, False)}.get(row.to, (None,)):
            with outer():
                before = modes()
                with cls(*(() if argument is None else (argument,))):
                    wanted = effect(row, argument)
                    assert modes() == wanted
                if not row.on_call:
                    assert modes() == before


@pytest.mark.parametrize("path", CONTEXTS)
def test_a_context_works_as_a_decorator_as_its_row_says(path: str) -> None:
    row, cls = CONTEXTS[path], resolve(path)
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


@pytest.mark.parametrize("path", CONTEXTS)
def test_the_class_itself_is_no_context(path: str) -> None:
    with pytest.raises((TypeError, AttributeError)):
        with resolve(path):
            pass


@pytest.mark.parametrize("path", CONTEXTS)
def test_calling_alone_changes_the_mode_only_where_the_row_says(path: str) -> None:
    row = CONTEXTS[path]
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


@pytest.mark.parametrize("row", [row for row in PLAIN.values() if row.returns], ids=lambda row: row.path)
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
