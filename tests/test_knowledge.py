"""Row == measured: what the tables of `gradlint.knowledge` say is what the installed torch does."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch

from gradlint.knowledge.schema import DTYPE_RULES, Operation
from gradlint.testing import measuring
from gradlint.testing.measuring import (
    ATTRIBUTE_ROWS,
    LETTERS,
    MEASURED_ROWS,
    MODES,
    OPERATION_ROWS,
    REFUSALS,
    TABLES,
    Operands,
    Outcome,
    accepted,
    answers,
    attempt,
    call,
    expected,
    expected_saves,
    filled,
    functions,
    inexact,
    keeps,
    operand_names,
    resolve,
    richest,
    words,
)
from tests.fuzz.acts import nodes_of

torch.set_num_threads(1)

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

each_row = pytest.mark.parametrize("row", MEASURED_ROWS, ids=lambda row: row.paths[0])


def askings(word: str, mode: str = "on") -> Iterator[frozenset[int]]:
    """No operand, all of them, and (with gradients on, where it matters which) each one alone requiring grad."""
    able = inexact(word)
    yield frozenset()
    if mode == "on" or len(word) < 3:
        yield from (frozenset([i]) for i in able)
    if len(able) > 1 or (able and mode != "on" and len(word) > 2):
        yield frozenset(able)


MOST_WORDS = 6


# ---- the tables


@pytest.mark.parametrize("table", ["operations", "attributes", "factories", "modules", "contexts", "plain"])
def test_every_path_names_something_of_torch(table: str) -> None:
    for path in getattr(TABLES, table):
        assert resolve(path.partition(" ")[0]) is not None


def test_what_is_harmless_exists_where_its_library_is_installed() -> None:
    for path in TABLES.harmless:
        if path.startswith(
            ("builtins.", "torch.", "math.", "time.", "random.", "json.", "itertools.", "os.", "logging.")
        ):
            assert callable(resolve(path)), path


def test_no_path_is_in_two_rows() -> None:
    paths = [path for row in OPERATION_ROWS for path in row.paths]
    assert sorted(paths) == sorted(TABLES.operations)
    assert not TABLES.operations.keys() & TABLES.factories.keys()
    assert not (TABLES.operations.keys() | TABLES.factories.keys() | TABLES.attributes.keys()) & TABLES.plain.keys()


def test_the_tables_cannot_be_written() -> None:
    with pytest.raises(TypeError):
        TABLES.operations["torch.add"] = TABLES.operations["torch.sub"]  # type: ignore[index]


@each_row
def test_a_row_speaks_of_its_own_operands(row: Operation) -> None:
    names = set(row.operands)
    assert names <= set(row.parameters)
    for listed in (row.numbers, row.optional, row.writes, row.ignores, row.rejects_grad, row.adds):
        assert {entry.partition(": ")[0] for entry in listed} <= names
    assert {name for name, _ in row.needs} <= set(row.parameters)
    assert not row.needs or row.results[0].kind.startswith("self or ")
    bare = {name.removeprefix("*") for name in names}
    for name, kinds, condition, beside, _ in row.savings:
        assert kinds in ("", "f", "fc")
        assert not beside or beside in row.numbers
        assert name.split(" ")[0] in bare | {"result", "own"} and condition in bare | {"", "others"}
    assert all(result.dtype in DTYPE_RULES for result in row.results)
    assert row.writes or not (row.unchecked or row.in_no_grad)
    assert any(result.differentiable for result in row.results) or not (row.ignores or row.saves)


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
                outcome = attempt(row, function, Operands(word, asking), mode=mode)
                assert (outcome is None) == refused, (word, asking)
                if outcome is not None:
                    assert_as_said(row, outcome, word, mode, asking)


@pytest.mark.parametrize("row", [row for row in MEASURED_ROWS if row.needs], ids=lambda row: row.paths[0])
def test_an_operation_gives_its_operand_back_where_it_lacks_what_it_needs(row: Operation) -> None:
    for function in functions(row):
        defaults = inspect.signature(function).parameters
        assert [(name, bool(defaults[name].default)) for name, _ in row.needs] == list(row.needs)
        operand = measuring.sample("f", row.shapes[0] if row.shapes else (2, 2))
        for given in itertools.product([None, False, True], repeat=len(row.needs)):
            told = {name: value for (name, _), value in zip(row.needs, given, strict=True) if value is not None}
            whole = all(told.get(name, default) for name, default in row.needs)
            assert (function(operand, **told) is operand) == (not whole), told


SHAPES = ((), (1,), (4,), (1, 1), (2, 2), (1, 2, 2), (1, 1, 2, 2), (2, 2, 4, 4))
HANDED: tuple[tuple[Any, ...], ...] = (
    (), (0,), (1,), (-1,), (2,), (0.0,), (1.0,), ([],), (0, 0), (0, 1), (1, 1), (0, 0, 1), (0, 0, None),
)  # fmt: skip


OF_MATRICES = frozenset({"mT", "H", "mH", "adjoint"})
"""Of a number torch still gives these, with a warning that it will not."""


@pytest.mark.parametrize("row", [row for row in MEASURED_ROWS if not row.writes], ids=lambda row: row.paths[0])
def test_an_operation_gives_its_operand_back_only_if_it_is_said_to(row: Operation) -> None:
    shapes = SHAPES[1:] if row.name in OF_MATRICES else SHAPES
    for function, shape in itertools.product(functions(row), shapes):
        operand = torch.rand(shape)
        for given in (*HANDED, (shape,), (operand,), (tuple(range(len(shape))),)):
            try:
                outcome = function(operand, *given)
            except Exception:  # what is handed over at random may be refused by anything
                continue
            made = outcome if isinstance(outcome, tuple | list) else [outcome]
            if any(one is operand for one in made):
                assert "self" in row.results[0].kind or row.inplace_flag, (shape, given)


@pytest.mark.parametrize("narrow", [torch.uint8, torch.int16], ids=str)
@each_row
def test_whole_numbers_of_few_bits_give_what_the_row_says(
    row: Operation, narrow: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = [word for word in accepted(row) if "i" in word]
    monkeypatch.setitem(measuring.DTYPES, "i", narrow)
    for function, word in itertools.product(functions(row), taken):
        outcome = attempt(row, function, word)
        for index, seen in enumerate(outcome.results if outcome else ()):
            rule = row.results[index if row.bundle == "tuple" else 0].dtype
            kinds = filled(word).lower()
            apart = row.bundle == "list" and row.operands[0].startswith("*")
            assert seen.dtype in ("", *DTYPE_RULES[rule](*(kinds[index] if apart else kinds))), word


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
def test_backward_goes_on_from_every_result_that_passes(row: Operation) -> None:
    names, word = operand_names(row), "f" * len(operand_names(row))
    asking = frozenset(i for i in range(len(word)) if not row.rejects(names[i], word))
    if word not in accepted(row) or not asking:
        return
    for function in functions(row):
        raw = call(row, function, Operands(word, asking)).raw
        for index, result in enumerate(raw if row.bundle else [raw]):
            if isinstance(result, torch.Tensor) and result.requires_grad:
                passes = row.results[0 if row.bundle == "list" else index].passes
                assert _hands_on(result) in (passes, None), index


def _hands_on(result: torch.Tensor) -> bool | None:
    """Whether a leaf is reached; None where torch has no derivative."""
    leaves = [one for node in nodes_of([result]) if (one := getattr(node, "variable", None)) is not None]
    leaves = leaves or [result]
    try:
        given = torch.autograd.grad(result, leaves, torch.ones_like(result), retain_graph=True, allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return None
    return any(one is not None for one in given)


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
    names = operand_names(row)
    for function, word in itertools.product(functions(row), _with_numbers(row)):
        able = [i for i in inexact(word) if not row.rejects(names[i], word)]
        for size in range(1, len(able) + 1):
            for asking in map(frozenset, itertools.combinations(able, size)):
                outcome = call(row, function, Operands(word, asking), watched=True)
                if any(seen.requires_grad for seen in outcome.results):
                    assert outcome.saved == expected_saves(row, word, asking), (word, asking)


SEVERAL = [row for row in MEASURED_ROWS if row.saves and not row.writes and len(operand_names(row)) > 1]


@pytest.mark.parametrize("row", SEVERAL, ids=lambda row: row.paths[0])
def test_a_backward_to_one_operand_frees_the_rest_unless_it_is_added_last(row: Operation) -> None:
    names = operand_names(row)
    word = "f" * len(names)
    able = [place for place in range(len(names)) if not row.rejects(names[place], word)]
    for place, function in itertools.product(able, functions(row)):
        operands = Operands(word, frozenset(able)).made(row)
        scope = {**dict(zip(LETTERS, operands, strict=False)), "f": function, "torch": torch}
        try:
            found = eval(row.example, scope)  # examples are our own rows
        except (RuntimeError, IndexError):
            continue  # it takes other kinds
        result = found[0] if isinstance(found, tuple | list) else found
        if result.requires_grad:
            ones = torch.ones_like(result)
            try:
                arrives = torch.autograd.grad(result, operands[place], ones, allow_unused=True) != (None,)
            except NotImplementedError:
                continue  # nobody has written that derivative
            if arrives:
                with nullcontext() if names[place] in row.adds else pytest.raises(RuntimeError, match="a second time"):
                    result.backward(ones)


CUBE = torch.rand(2, 2, 2, requires_grad=True)
MATRIX = torch.rand(2, 2, requires_grad=True)
COPYING = {
    "einsum": lambda: torch.einsum("ikj,jkl->il", CUBE, CUBE),
    "inner": lambda: CUBE.permute(2, 1, 0).inner(CUBE.permute(2, 0, 1)),
    "tensordot": lambda: torch.tensordot(CUBE, CUBE, ([1], [1])),
    "matmul": lambda: MATRIX @ CUBE.detach(),
    "linear": lambda: torch.nn.functional.linear(CUBE.detach().mT, MATRIX),
    "torch.nn.Linear": lambda: torch.nn.Linear(2, 2)(CUBE.detach().mT),
    "torch.nn.LazyLinear": lambda: torch.nn.LazyLinear(2)(CUBE.detach().mT),
}
"""Calls that keep a copy of an operand."""


@pytest.mark.parametrize("name", COPYING)
def test_a_copy_is_kept_where_the_layout_asks_for_one(name: str) -> None:
    kept: list[torch.Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        COPYING[name]()
    assert any(measuring.storage(one) != measuring.storage(CUBE) for one in kept)


def test_what_may_keep_a_copy_is_known_to_do_so() -> None:
    rows = [row for row in MEASURED_ROWS if " or copy of " in "".join(row.saves)]
    layers = [row for row in measuring.TABLES.modules.values() if " or copy of " in "".join(row.saves)]
    assert {row.name for row in rows} | {row.path for row in layers} == COPYING.keys()


STACKS = list(itertools.product([(2,), (2, 2), (1, 2, 2), (3, 2, 2), (3, 1, 2, 2), (2, 2, 2, 2)], repeat=2))


@pytest.mark.parametrize("asking", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize(("left", "right"), STACKS)
def test_a_product_keeps_no_copy_of_a_matrix(
    left: tuple[int, ...], right: tuple[int, ...], asking: tuple[bool, bool]
) -> None:
    operands = [torch.rand(*shape).mT if len(shape) > 1 else torch.rand(*shape) for shape in (left, right)]
    for one, asks in zip(operands, asking, strict=True):
        one.requires_grad_(asks)
    kept: list[torch.Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: kept.append(tensor) or tensor, lambda tensor: tensor):
        try:
            operands[0] @ operands[1]
        except RuntimeError:
            pytest.skip("these shapes do not fit")
    memories = {measuring.storage(one) for one in kept}
    wanted = [one for one, other in zip(operands, reversed(asking), strict=True) if other and one.dim() < 3]
    assert {measuring.storage(one) for one in wanted} <= memories


def _with_numbers(row: Operation) -> Iterator[str]:
    """The kinds of operands that show most, and the same with one of them a number."""
    word = richest(row)
    yield word
    for i, name in enumerate(operand_names(row)):
        if name in row.numbers and (other := f"{word[:i]}F{word[i + 1 :]}") in accepted(row):
            yield other


def raises_a_second_time(outcome: Outcome) -> bool | None:
    """Whether a second backward from the first result finds nothing any more; None where there is no first one."""
    found = outcome.raw if isinstance(outcome.raw, tuple | list) else [outcome.raw]
    result = next((one for one in found if isinstance(one, torch.Tensor) and one.grad_fn is not None), None)
    if result is None or result.layout is not torch.strided:
        return None
    given = torch.ones_like(result)
    try:
        result.backward(given)
    except REFUSALS:
        return None
    try:
        result.backward(given)
    except RuntimeError as error:
        return "a second time" in str(error)
    return False


@each_row
def test_a_second_backward_raises_where_something_is_saved(row: Operation) -> None:
    names = operand_names(row)
    for word in accepted(row):
        for asking in askings(word):
            if asking and not any(row.rejects(names[i], word) for i in asking):
                outcome = call(row, functions(row)[0], Operands(word, asking))
                assert raises_a_second_time(outcome) in (None, keeps(row, word, asking)), (word, asking)


@each_row
def test_an_operand_left_out_counts_as_of_the_first_kind(row: Operation) -> None:
    for word in words(row, absent=True) if row.optional else ():
        outcome = attempt(row, functions(row)[0], word)
        assert (outcome is None) == row.refused(filled(word)), word
        for asking in askings(word) if outcome else ():
            if any(row.rejects(operand_names(row)[i], filled(word)) for i in asking):
                continue
            outcome = call(row, functions(row)[0], Operands(word, asking))
            for index, seen in enumerate(outcome.results):
                assert seen == expected(row, word, "on", asking, index, seen.kind), (word, asking)


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("in_place", ["", "_"])
def test_a_bound_left_out_takes_no_part(name: str, in_place: str) -> None:
    whole, alone = TABLES.operations[f"torch.clamp{in_place}"], TABLES.operations[f"torch.clamp_{name}{in_place}"]
    part = replace(whole, operands=("input", name), numbers=(name,), example=f"f(x, {name}=y)")
    for word in words(part):
        for asking in askings(word):
            one = attempt(part, functions(whole)[0], Operands(word, asking), watched=True)
            other = attempt(alone, functions(alone)[0], Operands(word, asking), watched=True)
            if one is None or other is None:
                assert one is None and (other is None or other.results[0].dtype == "b"), word
            else:
                assert (one.results, one.saved) == (other.results, other.saved), (word, asking)


def with_a_tensor_for(row: Operation, name: str, shape: tuple[int, ...]) -> Operation | None:
    """The row with one more operand in its example, for this parameter; None where the example is no call."""
    tree = ast.parse(row.example, mode="eval").body
    if not isinstance(tree, ast.Call):
        return None
    place, count = [one.lstrip("*") for one in row.parameters].index(name), len(operand_names(row))
    tensor = ast.Name(LETTERS[count], ast.Load())
    if place < len(tree.args):
        tree.args[place] = tensor
    else:
        named = ast.keyword(None, ast.Dict([ast.Constant(name)], [tensor]))  # some are called `from`
        tree.keywords = [*(one for one in tree.keywords if one.arg != name), named]
    shapes = (*row.shapes, *[(2, 2)] * count)[:count]
    return replace(row, operands=(*row.operands, name), shapes=(*shapes, shape), example=ast.unparse(tree))


SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (2,), (2, 2))


def handed_over(row: Operation, name: str) -> Iterator[tuple[str, Outcome]]:
    """What the row's operation gives where a tensor that requires grad is handed over for a parameter."""
    few = {richest(row), *[word for word in accepted(row) if word.islower()][:MOST_WORDS]}
    for shape, word in itertools.product(SHAPES, few):
        more, asking = with_a_tensor_for(row, name, shape), frozenset([len(word)])
        try:
            outcome = more and attempt(more, functions(row)[0], Operands(word + "f", asking))
        except AttributeError:  # what wants a word asks for what words have
            continue
        if outcome:
            yield word, outcome


@each_row
def test_of_all_tensors_handed_over_operands_and_what_is_besides_take_part(row: Operation) -> None:
    if " " in row.paths[0]:
        pytest.skip("a tensor there makes another operation of it")
    operands = {name.lstrip("*") for name in row.operands}
    for name in row.parameters:
        if name == "out" or name.lstrip("*") in operands:
            continue
        taken = list(handed_over(row, name))
        assert name not in row.besides or any(outcome.results[0].requires_grad for _, outcome in taken), name
        for word, outcome in taken:
            for index, seen in enumerate(outcome.results):
                differentiable = row.results[index if row.bundle == "tuple" else 0].differentiable
                wanted = name in row.besides and differentiable and seen.dtype in "fc"
                assert seen.requires_grad == wanted, (name, word)


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
