"""Shapes: what `gradlint.knowledge.shapes.outline` answers is the shape that torch gives, for lengths nobody knows."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest
import torch
from torch import nn
from torch.nn import functional

from gradlint.domain import ANY_SHAPE, COLUMN, DEEP, MATRIX, ROW, Shape, Tensor
from gradlint.knowledge.schema import Operation
from gradlint.knowledge.shapes import SHAPES
from gradlint.knowledge.shapes.outline import EXAMPLES, of_size
from gradlint.knowledge.torch.distributions import BY_ELEMENT, BY_ROW
from gradlint.testing.measuring import LETTERS, OPERATION_ROWS, TABLES, operand_names
from gradlint.testing.programs import revealed

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::UserWarning")]
COUNTS = (1, 2, 6)
"""The lengths that `n` stands for, of which gradlint knows none."""
SIZES = ("()", "(1,)", "(n,)", "(n, 1)", "(n, 6)", "(6, n)", "(n, 6, 6)", "(n, 2, 1)")
MADE = {
    "f": "torch.full({}, 0.5)",
    "i": "torch.full({}, 0)",
    "b": "torch.full({}, True)",
    "c": "torch.full({}, 1j)",
}
KINDS = ("fff", "iff", "fii", "fbb", "iii", "bff", "ccc")
MORE = {
    **dict.fromkeys(("sum", "mean", "amax", "logsumexp", "argmax", "all", "norm", "std", "var"), (
        "f(x, dim=-1)", "f(x, dim=1)", "f(x, dim=0)", "f(x, dim=(0, 1))", "f(x, dim=-1, keepdim=True)",
        "f(x, dim=0, keepdim=True)")),
    **dict.fromkeys(("max along dim", "min along dim", "median along dim"), ("f(x, 1)", "f(x, -1, True)", "f(x, 0)")),
    "squeeze": ("f(x)", "f(x, -1)", "f(x, 1)", "f(x, 0)", "f(x, (0, 1))"),
    "unsqueeze": ("f(x, -1)", "f(x, 0)", "f(x, 1)", "f(x, dim=-2)"),
    "transpose": ("f(x, 0, 1)", "f(x, -1, 0)", "f(x, 1, 2)"),
    "view": ("f(x, -1)", "f(x, -1, 1)", "f(x, (1, -1))", "f(x, n, -1)", "f(x, -1, n)", "f(x, x.numel(), 1)",
             "f(x, -1, 1, 1)", "f(x, -1, 6)", "f(x, torch.int32)", "f(x, x.shape)"),
    "reshape": ("f(x, -1)", "f(x, (-1,))", "f(x, (-1, 1))", "f(x, (n, -1))", "f(x, x.shape)", "f(x, shape=(-1, 1))"),
    "flatten": ("f(x)", "f(x, 1)", "f(x, 0, 1)", "f(x, start_dim=-1)"),
    "select": ("f(x, 0, 0)", "f(x, 1, 0)", "f(x, -1, 0)"),
    "unbind": ("f(x)", "f(x, 1)"),
    "cat": ("f([x, y])", "f([x, y], 1)", "f((x, y), dim=-1)", "f([x] * n)"),
    "stack": ("f([x, y])", "f([x, y], 1)", "f([x] * n)"),
    **dict.fromkeys(("chunk", "tensor_split"), ("f(x, n)", "f(x, 2)", "f(x, 2, 1)", "f(x, n, dim=-1)")),
    "split": ("f(x, n)", "f(x, 1)", "f(x, 1, 1)", "f(x, [1, n - 1])"),
    "gather": ("f(x, 1, y)", "f(x, -1, y)"),
    "getitem": ("x[0]", "x[n - 1]", "x[:, 0]", "x[0, :]", "x[:, None]", "x[None, :]", "x[None]", "x[:n]", "x[1:]",
                "x[:, :1]", "x[:, 1:]", "x[:, n:]", "x[..., 0]", "x[:, -1:]", "x[0, 0]", "x[:1, 0]", "x[-1, None]"),
    "getitem advanced": ("x[torch.randperm(n)]", "x[[0, 0]]", "x[torch.tensor([0])]", "x[torch.full((n,), 0)]",
                         "x[x > 0]", "x[torch.full((n, 1), 0)]", "x[[0, 0], [0, 0]]", "x[torch.full((n,), True)]"),
    "group_norm": ("f(x, 1)",),
    "iteration": ("next(iter(x))",),
    "mse_loss": ("f(x, y, reduction='none')", "f(x, y, reduction='sum')"),
}  # fmt: skip
"""Further calls, by the operation's name: what the examples of the rows do not ask for."""


def _calls(row: Operation) -> Iterator[tuple[str, list[str]]]:
    """Calls of an operation as a program writes them that torch takes for some length, and what they are given."""
    count = len(operand_names(row))
    for example in dict.fromkeys((row.example, *row.others, *MORE.get(row.name, ()))):
        for path in row.paths[:2]:
            text = re.sub(r"\bf\(", f"{path.partition(' ')[0].replace('builtins.', '')}(", example)
            for sizes in product(SIZES, repeat=count) if count < 3 else ((one,) * count for one in SIZES):
                given = next((made for kinds in KINDS if _shapes(text, made := _operands(kinds, sizes))), None)
                if given is not None:
                    yield text, list(given)


def _operands(kinds: str, sizes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(MADE[kind].format(size) for kind, size in zip(kinds, sizes, strict=False))


@cache
def _shapes(text: str, given: tuple[str, ...]) -> dict[str, Shape]:
    """The shapes of what a call gives for the lengths with which torch takes it, by the place of each tensor."""
    found: dict[str, Shape] = {}
    for n in COUNTS:
        scope = {"torch": torch, "F": functional, "nn": nn, "operator": operator, "n": n}
        try:
            scope |= {letter: eval(made, scope) for letter, made in zip(LETTERS, given, strict=False)}
            result = eval(text, scope)
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, NameError, AssertionError):
            continue
        several = [result] if isinstance(result, torch.Tensor) else list(result) if isinstance(result, tuple) else []
        for at, one in enumerate(several[:2]):
            if isinstance(one, torch.Tensor):
                place = "" if one is result else f"[{at}]"
                found[place] = found.get(place, of_size(tuple(one.shape))) | of_size(tuple(one.shape))
    return found


def _told(calls: list[tuple[str, list[str]]], start: str = "") -> int:
    """How many shapes of what calls give gradlint tells; each is one that torch gives, or may give."""
    lines = [
        "import operator",
        "import random",
        "import torch",
        "import torch.nn.functional as F",
        "from torch import nn",
    ]
    lines += ["n = random.randint(1, 6)", *start.splitlines()]
    real: dict[int, tuple[str, list[str], Shape]] = {}
    for text, given in calls:
        lines += [f"{letter} = {made}" for letter, made in zip(LETTERS, given, strict=False)]
        lines.append(f"made = {text}")
        for place, shape in _shapes(text, tuple(given)).items():
            lines.append(f"reveal(made{place})")
            real[len(lines)] = text, given, shape
    known = {row: one.shape for row, one in revealed("\n".join(lines) + "\n").items() if isinstance(one, Tensor)}
    wrong = [(*real[row], shape) for row, shape in known.items() if not (real[row][2] <= shape or shape.is_unsure)]
    assert not wrong
    return len([shape for shape in known.values() if shape.answers()])


def test_examples_of_each_shape_have_it():
    assert {shape: {of_size(size) for size in sizes} for shape, sizes in EXAMPLES.items()} == {
        Shape.named(name): {Shape.named(name)} for name in Shape.names
    }


@pytest.mark.parametrize("name", sorted(name for name in SHAPES if f"torch.nn.{name}" not in TABLES.modules))
def test_shapes_are_those_of_torch(name):
    rows = [row for row in OPERATION_ROWS if row.name == name and not row.writes]
    assert _told([call for row in rows for call in _calls(row)]) or not any(row.measured for row in rows)


LAYERS = sorted(name for name in SHAPES if f"torch.nn.{name}" in TABLES.modules)
BUILT = {
    "Linear": ("Linear(6, 1)", "Linear(in_features=6, out_features=1)", "Linear(6, 3)", "Linear(6, n)", "Linear(n, 1)"),
    "LazyLinear": ("LazyLinear(1)", "LazyLinear(out_features=3)"),
    "Flatten": ("Flatten()", "Flatten(0)"),
}
"""How layers are made, where the example of the row does not tell all."""


@pytest.mark.parametrize("name", LAYERS)
def test_shapes_of_what_layers_give_are_those_of_torch(name):
    row = TABLES.modules[f"torch.nn.{name}"]
    built = [f"nn.{one}" for one in BUILT.get(name, ())] or [row.example]
    given = [MADE["f"].format(size) for size in (*SIZES, "(n, 6, 6, 6)", "(n, 6, 6, 6, 6)")]
    calls = [(f"{layer}(x)", [x]) for layer in built for x in given if _shapes(f"{layer}(x)", (x,))]
    assert not calls or _told(calls)


FACTORIES = (
    ("torch.zeros(n)", ROW), ("torch.zeros(n, 1)", COLUMN), ("torch.rand((n, 6))", MATRIX),
    ("torch.ones(n, n)", COLUMN | MATRIX), ("torch.Tensor(n)", ROW), ("torch.Tensor(n, 1)", COLUMN),
    ("torch.arange(n)", ROW), ("torch.randperm(n)", ROW), ("torch.linspace(0, 1, n)", ROW),
    ("torch.tensor([0.5] * n)", ROW), ("torch.tensor([float(one) for one in range(n)])", ROW),
    ("torch.FloatTensor([[0.5]] * n)", COLUMN | MATRIX), ("torch.as_tensor([one for one in range(n)])", ROW),
    ("torch.tensor([torch.tensor(0.5)] * n)", ROW), ("torch.zeros_like(torch.zeros(n, 1))", COLUMN),
    ("torch.tensor([[0.5, 1.0]] * n)", MATRIX | COLUMN), ("torch.full((n,), 1.0)", ROW),
    ("torch.randint(9, (n,))", ROW), ("torch.full((n, 1), 1.0)", COLUMN), ("torch.empty(n, 1, n)", DEEP),
)  # fmt: skip


@pytest.mark.parametrize(("text", "shape"), FACTORIES)
def test_shapes_of_what_factories_make_are_those_of_torch(text, shape):
    (told,) = revealed(f"import random\nimport torch\nn = random.randint(1, 6)\nreveal({text})\n").values()
    assert _told([(text, [])])
    assert told.shape <= shape


def test_rows_of_arrays_are_no_numbers():
    program = "import torch\nmade = torch.rand(3, 1).numpy()\nreveal(torch.tensor([one + 1 for one in made]))\n"
    (told,) = revealed(program).values()
    assert told.shape == ANY_SHAPE


@pytest.mark.parametrize("name", sorted(BY_ELEMENT | BY_ROW))
def test_shapes_of_distributions_are_those_of_torch(name):
    cls = getattr(torch.distributions, name)
    parameters = ("low", "high") if name == "Uniform" else [one for one in cls.arg_constraints if one != "logits"]
    calls: list[tuple[str, list[str]]] = []
    for size in ("(n,)", "(n, 1)", "(n, 6)"):
        low = [f"torch.full({size}, {0.5 + at})" if one != "probs" else f"torch.full({size}, 0.5)"
               for at, one in enumerate(parameters)]  # fmt: skip
        made = f"torch.distributions.{name}({', '.join(f'{one}={x}' for one, x in zip(parameters, low, strict=True))})"
        calls += [(f"{made}.sample()", []), (f"{made}.log_prob({made}.sample())", []), (f"{made}.entropy()", [])]
    assert _told(calls)
