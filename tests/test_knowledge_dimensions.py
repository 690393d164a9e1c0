"""Dimensions: what `gradlint.knowledge.dimensions` answers is the size that torch gives, for every operation."""

from __future__ import annotations

import operator
import re
import sys
from collections.abc import Iterator
from functools import cache, partial
from types import CodeType

import pytest
import torch
from torch.nn import functional

from gradlint.domain import Tensor
from gradlint.knowledge.schema import Operation
from gradlint.knowledge.shapes import DIMENSIONS, PARAMETERS
from gradlint.testing.measuring import ATTRIBUTE_ROWS, LETTERS, OPERATION_ROWS, TABLES, operand_names
from gradlint.testing.programs import revealed

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::UserWarning")]
Sizes = tuple[tuple[int, ...], ...]
ALIKE: Sizes = ((2, 3), (3, 2), (3,), (2, 1, 3), (1, 1), (1,), (3, 3), (4, 2, 3, 5), (2, 4, 4, 4), ())
MIXED: tuple[Sizes, ...] = (
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((), (2, 3)),
    ((2, 3), (3, 4)),
    ((4, 2, 3), (4, 3, 5)),
    ((4, 2, 3), (3, 1)),
    ((3,), (4, 3, 2)),
    ((4, 2, 3), (3,)),
    ((3, 3), (3, 2)),
    ((4, 3), (2, 3)),
    ((2,), (3,)),
    ((2, 3), (4, 3)),
    ((1, 4, 5), (2, 4, 3)),
    ((4, 5), (2, 4, 3)),
    ((5, 2, 2), (2, 3)),
    ((5, 2, 2), (2,)),
    ((5, 2, 2), (5, 2)),
    ((2, 2), (5, 2, 3)),
    ((2, 3), (5, 2, 2)),
    ((5, 2, 3), (5, 2)),
    ((2, 2, 2, 2), (2, 2)),
    ((2, 3, 6), (2, 3)),
)
MORE = {
    "sum": ("f(x, axis=0)", "f(x, -1, keepdims=True)", "f(x, (0, 1))", "f(x, dim=[0])"),
    "amax": ("f(x, (0, -1))", "f(x, 1, True)"),
    "norm": ("f(x, 2, 1)", "f(x, dim=0, keepdim=True)"),
    "std": ("f(x, 0)", "f(x, True)", "f(x, dim=-1)"),
    "std_mean": ("f(x, 1)", "f(x, True)", "f(x, 1, False, True)"),
    "var": ("f(x, 0)", "f(x, False)", "f(x, dim=(0, 1), correction=0)"),
    "var_mean": ("f(x, 1)", "f(x, False)"),
    "aminmax": ("f(x, dim=0)", "f(x, dim=-1, keepdim=True)"),
    "argmax": ("f(x, 1)", "f(x, 1, True)"),
    "kthvalue": ("f(x, 1, 0)",),
    "max along dim": ("f(x, -1, True)", "f(x, axis=1)"),
    "topk": ("f(x, 1, 0)",),
    "quantile": ("f(x, 0.5, 0)", "f(x, 0.5, dim=1, keepdim=True)", "f(x, torch.tensor([0.1, 0.5]))"),
    "view": ("f(x, 1, -1)", "f(x, (-1, 1))", "f(x, torch.int32)"),
    "reshape": ("f(x, 3, -1)", "f(x, 1, 3, -1)", "f(x, (3, -1))", "f(x, shape=(1, -1))"),
    "flatten": ("f(x, 1)", "f(x, 0, 1)", "f(x, start_dim=-1)"),
    "squeeze": ("f(x, 1)", "f(x, (0, 1))", "f(x, 0)"),
    "unsqueeze": ("f(x, -1)", "f(x, 1)"),
    "transpose": ("f(x, -1, 0)", "f(x, 1, 2)"),
    "permute": ("f(x, 2, 0, 1)", "f(x, 1, 0)", "f(x, -1, 0, 1)", "f(x, (2, 0, 1))", "f(x, dims=(1, 0))"),
    "movedim": ("f(x, -1, 0)", "f(x, 0, 2)", "f(x, (0, 1), (1, 0))"),
    "expand": ("f(x, 2, 3)", "f(x, 4, -1, 3)", "f(x, (5, 3))", "f(x, 2, -1, -1)"),
    "repeat": ("f(x, 2, 1, 2)", "f(x, (2, 2))"),
    "tile": ("f(x, 2, 1)", "f(x, (2,))", "f(x, dims=(2, 1, 2))"),
    "repeat_interleave": ("f(x, 2, 0)", "f(x, 3, dim=-1)", "f(x, torch.tensor([1, 2]), dim=0)"),
    "rot90": ("f(x, 2)", "f(x, 1, (0, 1))", "f(x, 3, [1, 2])"),
    "getitem": ("f(x, -1)", "f(x, None)", "f(x, ...)", "f(x, (0, 0))", "f(x, True)", "x[:1]", "x[:, 0]", "x[1:, None]",
                "x[..., -2:]", "x[0, ::2]", "x[5:]", "x[-9:1, :-1]", "x[:, None, 0]"),
    "diagonal": ("f(x, 1)", "f(x, -1)", "f(x, 0, 1, 2)", "f(x, 5)"),
    "diag": ("f(x, 1)", "f(x, -1)", "f(x, 4)"),
    "diag_embed": ("f(x, 1)", "f(x, 0, 0, 1)"),
    "diagflat": ("f(x, -1)",),
    "chunk": ("f(x, 3)", "f(x, 3, -1)", "f(x, 2, dim=1)"),
    "split": ("f(x, 2)", "f(x, 3, 1)", "f(x, [1, 1])"),
    "unbind": ("f(x, 1)",),
    "cat": ("f([x, y], 1)", "f((x, y), axis=-1)", "f([x, y, x])"),
    "stack": ("f([x, y], 1)", "f([x, y], dim=-1)"),
    "diff": ("f(x)", "f(x, 2)", "f(x, dim=0)"),
    "trapezoid": ("f(x, dim=0)", "f(x, torch.rand(2, 3))", "f(x, x=torch.rand(2, 3))"),
    "cumulative_trapezoid": ("f(x, dim=0)",),
    "vander": ("f(x, 5)", "f(x, N=2)"),
    "histc": ("f(x, 7)",),
    "cosine_similarity": ("f(x, y, 0)", "f(x, y, dim=-1)"),
    "pairwise_distance": ("f(x, y, keepdim=True)",),
    "tensordot": ("f(x, y, 1)", "f(x, y, dims=([1], [0]))"),
    "einsum": ("f('ij,j', x, y)", "f('ij,j->i', [x, y])", "f('bij, bjk', x, y)", "f('ii->i', x)", "f('i,j->', x, y)"),
    "scaled_dot_product_attention": ("f(x, y, y)", "f(x, x, x, is_causal=True)"),
    "take_along_dim": ("f(x, y)", "f(x, y, 1)", "f(x, y, dim=-1)"),
    "unfold": ("f(x, 1, 2, 1)", "f(x, -1, 2, 2)", "f(x, dimension=0, size=2, step=1)"),
    "as_strided": ("f(x, (1, 2), (1, 1))", "f(x, [2], [2], 0)", "f(x, size=(2, 1), stride=(1, 1))"),
    "max_unpool1d": ("f(x, y, 2, 3)", "f(x, y, kernel_size=3, padding=1)", "f(x, y, 2, output_size=(2, 9))"),
    "max_unpool2d": ("f(x, y, (2, 1))", "f(x, y, 2, 3)"),
    "fft_fft": ("f(x, 3)", "f(x, dim=0)"),
    "fft_ifft2": ("f(x, (3, 3))", "f(x, s=(2, 2))"),
    "glu": ("f(x, 1)",),
    "pad": ("f(x, (1, 2, 0, 1))", "f(x, (-1, 1))"),
    "interpolate": ("f(x, size=3)", "f(x, size=(3, 5))", "f(x, scale_factor=1.5)", "f(x, scale_factor=(2, 0.5))"),
    "linalg_matrix_norm": ("f(x, keepdim=True)", "f(x, dim=(0, 1))"),
    "svd": ("f(x, False)", "f(x, compute_uv=False)"),
    "linalg_svd": ("f(x)", "f(x, full_matrices=False)"),
    "svd_lowrank": ("f(x)",),
    "pca_lowrank": ("f(x)",),
    "qr": ("f(x, False)", "f(x, some=False)"),
    "linalg_qr": ("f(x, 'complete')", "f(x, mode='r')"),
    "linalg_lu_factor": ("f(x, pivot=True)",),
    "linalg_pinv": ("f(x, rcond=torch.rand(3, 2))", "f(x, atol=0.1)"),
    "pinverse": ("f(x, 0.1)", "f(x, torch.rand(3, 2))"),
    "linalg_tensorinv": ("f(x)",),
    "linalg_solve": ("f(x, y, left=False)",),
    "linalg_solve_ex": ("f(x, y, left=False)",),
    "linalg_solve_triangular": ("f(x, y, upper=False, left=False)",),
    "linalg_vander": ("f(x, N=2)",),
    "fft_rfft": ("f(x, 3)", "f(x, dim=0)"),
    "fft_irfft": ("f(x)", "f(x, n=6)"),
    "fft_rfftn": ("f(x, s=(2,))",),
    "mse_loss": ("f(x, y, reduction='none')", "f(x, y, reduction='sum')", "f(x, y, reduce=False)"),
    "max_pool1d": ("f(x, 2, 1)", "f(x, (3,), padding=1)", "f(x, 2, dilation=2)", "f(x, 2, ceil_mode=True)"),
    "avg_pool2d": ("f(x, (1, 2))", "f(x, 3, 2, 1)", "f(x, 2, stride=1, padding=(1, 0))"),
    "adaptive_avg_pool2d": ("f(x, (1, None))", "f(x, (3, 2))"),
    "conv1d": ("f(x, y, stride=2)", "f(x, y, padding=1)", "f(x, y, padding='same')", "f(x, y, dilation=2)"),
    "conv2d": ("f(x, y, z, 2, (1, 0))", "f(x, y, z, padding=1, groups=1)"),
    "conv_transpose1d": ("f(x, y, stride=2)", "f(x, y, None, 2, 1, 1)", "f(x, y, dilation=2)"),
}  # fmt: skip
"""Further calls, by the operation's name: what the examples of the rows do not ask for."""


def _calls(row: Operation, is_attribute: bool) -> Iterator[tuple[str, list[str]]]:
    """Calls of an operation as a program writes them that torch takes, and what they are given."""
    count = len(operand_names(row))
    own = (*row.shapes, *((2, 2),) * count)[:count]
    sizes = [own, *((size,) * count for size in ALIKE)]
    sizes += [(mixed + mixed[:1] * count)[:count] for mixed in MIXED if count > 1]
    sizes += [(mixed[:1] + mixed)[:count] for mixed in MIXED if count > 2]
    for example in dict.fromkeys((row.example, *row.others, *MORE.get(row.name, ()))):
        for path in row.paths:
            spelled = path.partition(" ")[0].replace("builtins.", "")
            text = f"x.{row.name}" if is_attribute else re.sub(r"\bf\(", f"{spelled}(", example)
            yield from ((text, given) for given in map(partial(_taken, text), dict.fromkeys(sizes)) if given)


def _taken(text: str, sizes: Sizes) -> list[str]:
    """Operands of these sizes with which torch takes a call, of the first kinds that it takes."""
    words = [
        (start + "f" * len(sizes))[: len(sizes)]
        for start in ("f", "c" * len(sizes), "fi", "if", "bf", "ffi", "ii", "fb")
    ]
    for word in words:
        given = [_made(kind, size) for kind, size in zip(word, sizes, strict=True)]
        if _ran(text, given):
            return given
    return []


MADE = {
    "f": "torch.full({}, 0.5)",
    "i": "torch.zeros({}, dtype=torch.long)",
    "b": "torch.ones({}, dtype=torch.bool)",
    "c": "torch.rand({}, dtype=torch.complex64)",
}


def _made(kind: str, size: tuple[int, ...]) -> str:
    """An operand as a program makes it; matrices are positive definite."""
    made = MADE[kind].format(size)
    return f"{made} + 0.25 * torch.eye{size[-2:]}" if kind == "f" and len(size) > 1 else made


@cache
def _operand(made: str) -> torch.Tensor:
    """What a program makes an operand by gives."""
    return eval(made)  # type: ignore[no-any-return]


@cache
def _compiled(text: str) -> CodeType:
    """A call, compiled once for all operands that are tried."""
    return compile(text, text, "eval")


def _ran(text: str, given: list[str]) -> list[str]:
    """What a call gives, as a program asks for it: the places of tensors in it; none if torch refuses the call."""
    scope = {"torch": torch, "F": functional, "operator": operator}
    scope |= {letter: _operand(made).clone() for letter, made in zip(LETTERS, given, strict=False)}
    try:
        result = eval(_compiled(text), scope)
    except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, NameError):
        return []
    if isinstance(result, torch.Tensor):
        return [""]
    return [f"[{at}]" for at, one in enumerate(result) if isinstance(one, torch.Tensor)][:4]


@pytest.mark.parametrize("name", sorted(name for name in DIMENSIONS if f"torch.nn.{name}" not in TABLES.modules))
def test_sizes_are_those_of_torch(name):
    rows = [(row, row in ATTRIBUTE_ROWS) for row in (*OPERATION_ROWS, *ATTRIBUTE_ROWS) if row.name == name]
    calls = [call for row, is_attribute in rows if not row.writes for call in _calls(row, is_attribute)]
    lines = ["import operator", "import torch", "import torch.nn.functional as F"]
    for text, given in calls:
        lines += [f"{letter} = {made}" for letter, made in zip(LETTERS, given, strict=False)]
        lines += [f"made = {text}", *(f"reveal(made{place})  # {given}" for place in _ran(text, given))]
    assert _told("\n".join(lines) + "\n")


MADE_MORE = {
    "arange": ("arange(3)", "arange(1, 4)", "arange(0, 1, 0.1)", "arange(5, 3, -1)", "arange(3, 3)", "arange(2.5)",
               "arange(1, end=4)", "arange(start=1, end=9, step=3)", "arange(0, 7, 2, dtype=torch.float64)",
               "arange(0, 2.9, 0.1)", "arange(0.5, 3, dtype=torch.int64)", "arange(end=4, out=torch.empty(0))"),
    "range": ("range(0, 1, 0.1)", "range(0, 1, 0.3)", "range(3, 0, -2)", "range(0.5, 2.7)", "range(1, end=3)",
              "range(0, 5, 2, dtype=torch.int64)", "range(0.5, 3, dtype=torch.int64)"),
    "linspace": ("linspace(0, 1, steps=4)",),
    "eye": ("eye(2, 3)", "eye(2, m=4)"),
    "tensor": ("tensor(3.0)", "tensor([[1, 2], [3, 4]])", "tensor([])"),
    "asarray": ("asarray([[1.0, 2.0]])", "asarray(2.0)"),
    "Tensor": ("Tensor(3)", "Tensor(2, 3)", "Tensor((2, 3))", "Tensor(torch.Size((2, 3)))", "Tensor()"),
    "LongTensor": ("LongTensor(2, 0)", "LongTensor([1, 2])"),
    "Buffer": ("nn.Buffer(torch.rand(4, 1))",),
}  # fmt: skip
"""Further calls, by the factory's name."""
FACTORIES = {row.name: row for row in TABLES.factories.values()}


@pytest.mark.parametrize("name", sorted(FACTORIES))
def test_sizes_of_what_factories_make_are_those_of_torch(name):
    calls = [FACTORIES[name].example, *(f"torch.{call}" for call in MADE_MORE.get(name, ()))]
    lines = ["import numpy as np", "import torch", "x = torch.rand(2, 3)"]
    lines += [line for call in calls for line in (f"made = {call}", "reveal(made)")]
    assert _told("\n".join(lines) + "\n") or name not in MADE_MORE


LAYERS = sorted(name for name in DIMENSIONS if f"torch.nn.{name}" in TABLES.modules)


RECURRENT = (
    "(2, 3)(torch.rand(4, 2))",
    "(2, 3, 2)(torch.rand(4, 5, 2))",
    "(2, 3, bidirectional=True)(torch.rand(4, 2))",
    "(2, 3, bias=False, batch_first=True)(torch.rand(4, 5, 2))",
)
CELL = ("(2, 3)(torch.rand(2))", "(2, 1, bias=False)(torch.rand(4, 2))")
CALLED_MORE = {
    **dict.fromkeys(("RNN", "GRU", "LSTM"), RECURRENT),
    **dict.fromkeys(("RNNCell", "GRUCell", "LSTMCell"), CELL),
    "LSTM": (
        *RECURRENT,
        "(2, 3, proj_size=1)(torch.rand(4, 2))",
        "(2, 3, 1, True, False, 0.0, False, 1)(torch.rand(4, 2))",
    ),
    "GRU": (*RECURRENT, "(2, 3)(hx=torch.rand(1, 3), input=torch.rand(4, 2))"),
}
"""Further layers and what they are called with, by name."""


@pytest.mark.parametrize("name", LAYERS)
def test_sizes_of_what_layers_give_are_those_of_torch(name):
    row = TABLES.modules[f"torch.nn.{name}"]
    calls = [f"{row.example}({row.input})", *(f"torch.nn.{name}{call}" for call in CALLED_MORE.get(name, ()))]
    parts = {"layer": [""], "two": [""], "lstm": ["[0]", "[1][0]"]}.get(row.call, ["[0]", "[1]"])
    reveal = "\n".join(f"reveal(made{part})" for part in parts)
    assert _told("import torch\n" + "\n".join(f"made = {call}\n{reveal}" for call in calls) + "\n")


PARTS = [(layer, part) for layer, (_, parts) in PARAMETERS.items() for part in parts]


@pytest.mark.parametrize(("layer", "part"), PARTS)
def test_sizes_of_the_parameters_of_layers_are_those_of_torch(layer, part):
    names, _ = PARAMETERS[layer]
    spelled = ("3, 6", "num_groups=2, num_channels=4", "5") if len(names) > 1 else ("6", f"{names[0]}=4")
    several = ("(2, 3)", "[4]", "normalized_shape=(2, 1)") if names[0] == "normalized_shape" else ()
    calls = [
        f"nn.{layer}({given})"
        for given in (
            *spelled,
            *several,
            "3, 6",
            "6, 12",
            "6, 2",
            "3, 6, 1",
            "3, 6, proj_size=2",
            "3, 6, 2, bidirectional=True",
            ", ".join(f"{n}=4" for n in names),
        )
    ]
    lines = ["import torch.nn as nn"]
    for call in calls:
        try:
            eval(call, {"nn": torch.nn})
        except (TypeError, ValueError, AssertionError):
            continue
        lines += [f"made = {call}", f"reveal(made.{part})"]
    assert _told("\n".join(lines) + "\n") > 1


def _told(text: str) -> int:
    """How many sizes of a program's reveals gradlint tells; all those are what torch has."""
    real: dict[int, tuple[int, ...]] = {}

    def reveal(value: torch.Tensor) -> None:
        real[sys._getframe(1).f_lineno] = tuple(value.shape)

    exec(compile(text, "<program>", "exec"), {"reveal": reveal})
    known = {row: value.size for row, value in revealed(text).items() if isinstance(value, Tensor)}
    lines = text.splitlines()
    wrong = [
        (lines[row - 2], lines[row - 1], size, real[row])
        for row, size in known.items()
        if size is not None and size != real[row]
    ]
    assert not wrong
    return len([size for size in known.values() if size is not None])
