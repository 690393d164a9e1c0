"""Layout: what `gradlint.knowledge.shapes.memory_format` says of how elements lie in memory is what torch does."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import product

import pytest
import torch

from gradlint.knowledge.shapes import REMEMBERED, WIDTH, WITH_WIDTH
from gradlint.knowledge.shapes.memory_format import (
    GIVEN_AS_IT_IS,
    IN_ORDER,
    ITSELF_AS_DEEP,
    ITSELF_IN_ORDER,
    KEEPING_ORDER,
    VIEWS_IN_ORDER,
)
from gradlint.testing.measuring import (
    OPERATION_ROWS,
    REFUSALS,
    TABLES,
    Operands,
    call,
    resolve,
    sample,
    storage,
    words,
)

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::UserWarning")]

ONE = [(), (1,), (3,), (2, 2), (2, 3), (1, 3), (3, 1), (0,), (0, 2), (2, 0), (2, 3, 4), (2, 1, 4), (1, 1, 1),
       (2, 3, 4, 4), (1, 2, 4, 4), (2, 2, 2)]  # fmt: skip
TWO = [((2, 3), (2, 3)), ((2, 1), (1, 3)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3, 4), (1, 3, 1)), ((2, 1), (2, 1)),
       ((3, 1, 4), (2, 1)), ((), (2, 2)), ((2, 2), ()), ((1, 3), (3, 1)), ((2, 2), (2, 2)), ((4, 2, 2), (2, 2)),
       ((2, 3, 4, 4), (3, 1, 1)), ((4, 2, 2), (4, 2, 2)), ((3,), (3,)), ((), (0,))]  # fmt: skip
FLATTENED = ("f(x)", "f(x, 0, -1)", "f(x, 1)", "f(x, -1)", "f(x, 0, 0)", "f(x, 1, 2)", "f(x, -2)")
RESHAPED = ("f(x, (-1,))", "f(x, (2, -1))", "f(x, (1, -1))", "f(x, x.shape)", "f(x, x.shape[::-1])")
EXAMPLES = {
    "flatten": FLATTENED,
    "flip": ("f(x, (0,))", "f(x, (-1,))", "f(x, (0, 1))"),
    "roll": ("f(x, 1)", "f(x, 1, 0)", "f(x, 1, -1)"),
    "normalize": ("f(x)", "f(x, dim=0)", "f(x, dim=-1)"),
    "reshape": RESHAPED,
    "view": (*RESHAPED, "f(x, x.dtype)"),
    "squeeze": ("f(x)", "f(x, 0)", "f(x, -1)"),
    "unsqueeze": ("f(x, 0)", "f(x, -1)", "f(x, 1)"),
    **dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d"), ("f(x)",)),
    "unflatten": ("f(x, 0, (1, -1))", "f(x, -1, (-1, 1))"),
}
"""How operations are called that say what becomes of the dimensions."""


def _shapes(count):
    """Sizes for so many operands."""
    if count <= 1:
        return [(shape,) for shape in ONE]
    more = [(first, second) + (third,) * (count - 2) for first, second in TWO for third in {first, second}]
    return more if count == 2 else more + [(shape,) * count for shape in ONE]


def _calls(name):
    """The operands and the result of each way to call what has this name, as far as torch takes it, of contiguous
    operands."""
    for row in (row for row in OPERATION_ROWS if row.name == name and not row.writes):
        plain = [one for one in (row.example, *row.others) if ".t()" not in one]
        written = [word for word in words(row) if word.upper() != word and not {"B", "I", "C"} & set(word)]
        spelled = [resolve(path.partition(" ")[0]) for path in row.paths]
        sized = [replace(row, shapes=shapes) for shapes in ([row.shapes] if row.shapes else _shapes(len(row.operands)))]
        for function, one, word, example in product(spelled, sized, written, EXAMPLES.get(name, plain)):
            try:
                yield one, word, example, call(one, function, word, example=example)
            except REFUSALS:
                continue


def _results(outcome):
    given = outcome.raw if isinstance(outcome.raw, tuple | list) else [outcome.raw]
    return [one for one in given if isinstance(one, torch.Tensor)]


LAYERS = {name: TABLES.modules.get(f"torch.nn.{name}") for name in KEEPING_ORDER | VIEWS_IN_ORDER | ITSELF_AS_DEEP}


@pytest.mark.parametrize("name", sorted(name for name in KEEPING_ORDER if not LAYERS[name]))
def test_what_keeps_the_order_gives_what_is_contiguous(name):
    shown = 0
    for _, word, example, outcome in _calls(name):
        for one in _results(outcome):
            assert one.is_contiguous(), (word, example, one.shape)
            shown += one.numel() > 1
    assert shown >= 3


@pytest.mark.parametrize("size", [one for one in ONE if one and 0 not in one])
def test_what_whole_numbers_take_of_what_is_contiguous_is_so(size):
    given = torch.rand(size)
    for count in range(1, len(size) + 1):
        for key in product(*[(0, length - 1, -1) for length in size[:count]]):
            assert given[key].is_contiguous()
    assert given[0].is_contiguous()


@pytest.mark.parametrize("name", sorted(VIEWS_IN_ORDER | ITSELF_IN_ORDER | ITSELF_AS_DEEP))
def test_what_gives_a_view_or_itself_of_what_is_contiguous(name):
    if LAYERS.get(name):
        found = []
        for shape in ONE:
            for layer in (torch.nn.Flatten(), torch.nn.Flatten(0), torch.nn.Flatten(1, 2), torch.nn.Flatten(0, 0)):
                given = sample("f", shape)
                try:
                    found.append((given, layer(given)))
                except REFUSALS:
                    continue
    else:
        found = []
        for row, word, example, _ in _calls(name):
            for path in row.paths:
                (given, *others), scope = Operands(word).made(row), {"f": resolve(path.partition(" ")[0])}
                others = dict(zip("yzwvut", others, strict=False))
                found.append((given, eval(example, scope | {"torch": torch, "x": given} | others)))
    told = 0
    for given, result in found:
        assert result.is_contiguous()
        if name in ITSELF_IN_ORDER:
            assert result is given
        if name in VIEWS_IN_ORDER:
            assert result is given or (storage(result) == storage(given) and result._is_view())
        if name in ITSELF_AS_DEEP:
            assert (result is given) == (result.dim() == given.dim())
        told += 1
    assert told > 3


@pytest.mark.parametrize("name", sorted(ITSELF_AS_DEEP - {"Flatten"}))
def test_what_is_not_contiguous_comes_back_where_it_is_as_deep(name):
    given = [
        torch.rand(2, 3).t(),
        torch.rand(2, 3, 4).transpose(0, 2),
        torch.rand(2, 3)[:, 0],
        torch.rand(3).expand(2, 3),
    ]
    for one in given:
        result = resolve(f"torch.{name}")(one)
        assert (result is one) == (result.dim() == one.dim())


MADE = {
    "arange": ("torch.arange(4)", "torch.arange(0.0, 1.0, 0.1)"),
    "eye": ("torch.eye(3)", "torch.eye(2, 3)"),
    "linspace": ("torch.linspace(0, 1, 5)",),
    "logspace": ("torch.logspace(0, 1, 5)",),
    "range": ("torch.range(0, 3)",),
    "randperm": ("torch.randperm(4)",),
    "scalar_tensor": ("torch.scalar_tensor(2.0)",),
    "tensor": (
        "torch.tensor([[1.0, 2.0], [3.0, 4.0]])",
        "torch.tensor(1)",
        "torch.tensor([[torch.tensor(1.0)], [2.0]])",
    ),
    "full": ("torch.full((2, 3, 4, 5), 1.0)", "torch.full((2, 0), 1)"),
    "randint": ("torch.randint(0, 3, (2, 3))", "torch.randint(3, (2, 3, 4, 5))"),
}


@pytest.mark.parametrize("name", sorted(IN_ORDER))
def test_what_a_factory_makes_is_contiguous(name):
    plain = (f"torch.{name}(2, 3)", f"torch.{name}((2, 3, 4, 5))", f"torch.{name}(0, 2)")
    for example in MADE.get(name, plain):
        assert eval(example).is_contiguous()


@pytest.mark.parametrize("name", sorted(row.name for row in TABLES.factories.values() if row.name.endswith("_like")))
def test_what_is_made_like_something_contiguous_is_so(name):
    more = {"full_like": (1.0,), "randint_like": (3,)}.get(name, ())
    for shape in ONE:
        assert getattr(torch, name)(torch.ones(shape), *more).is_contiguous()


@pytest.mark.parametrize("path", sorted(path for path, row in TABLES.modules.items() if row.parameters))
def test_parameters_that_a_layer_makes_are_contiguous(path):
    row = TABLES.modules[path]
    layer = eval(row.example)
    if row.input:
        layer(*eval(f"({row.input},)"))  # a lazy one gets its parameters
    assert all(one.is_contiguous() for one in layer.parameters())


def test_parameters_that_a_layer_is_given_lie_as_they_did():
    (keyword,) = GIVEN_AS_IT_IS
    assert not torch.nn.Embedding(3, 2, **{keyword: torch.rand(2, 3).t()}).weight.is_contiguous()


@pytest.mark.parametrize(
    "code", ["torch.clone(x)", "torch.nn.Parameter(x)", "x.detach()", "x.half()", "copy.deepcopy(x)"]
)
def test_a_copy_lies_as_what_it_was_made_of(code):
    for given in (torch.rand(2, 3), torch.rand(2, 3).t()):
        made = eval(code, {"torch": torch, "x": given, "copy": copy})
        assert made.is_contiguous() == given.is_contiguous()


def test_the_order_may_be_asked_for():
    given = torch.rand(2, 3, 4, 5)
    other = {"memory_format": torch.channels_last}
    for made in (given.clone(**other), given.to(**other), given.double(**other), given.contiguous(**other)):
        assert not made.is_contiguous()
    layer = torch.nn.Conv2d(2, 2, 3).to(**other)
    assert not layer.weight.is_contiguous()


@pytest.mark.parametrize("name", REMEMBERED)
def test_what_a_layer_remembers_is_what_it_was_made_with(name):
    made = getattr(torch.nn, name)()
    assert {one: getattr(made, one) for one in REMEMBERED[name]} == REMEMBERED[name]


@pytest.mark.parametrize("name", sorted(WITH_WIDTH))
def test_a_layer_remembers_how_wide_it_was_made(name):
    made = getattr(torch.nn, name)(**{one: 2 for one in ("in_features", WIDTH) if name == "Linear" or one == WIDTH})
    assert getattr(made, WIDTH) == 2
