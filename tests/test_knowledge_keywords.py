"""Whatever keyword an operation takes beside its operands, gradlint and torch agree on what it gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from gradlint.knowledge import OPERATION_ROWS
from gradlint.knowledge.schema import Operation
from gradlint.testing.measuring import LETTERS, operand_names
from tests.fuzz.comparing import compare

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

KEYWORDS = (
    "dtype=torch.float64|dtype=torch.long|dim=0|dim=-1|dim=0, keepdim=True|keepdim=True|inplace=True|inplace=chosen|"
    "reduction='none'|reduction='sum'|copy=True|device='cpu'|as_tuple=True|training=False|training=True|p=0.0|"
    "non_blocking=True|largest=False|descending=True|rounding_mode='floor'|alpha=2|upper=True|full_matrices=False|"
    "unbiased=False|correction=0|return_inverse=True|return_counts=True|return_inverse=True, return_counts=True|"
    "return_indices=True|weight=None|bias=None|out=torch.empty(0)|value=0.5|min=0.1|max=0.5|accumulate=True|"
    "sparse=True|normalized=True|norm='ortho'|side='right'|right=True|include_self=False|ord=1|hermitian=True|"
    "memory_format=torch.contiguous_format|requires_grad=True"
).split("|")
"""What people write behind the operands; where torch refuses one there is nothing to compare."""
OPERANDS = ("torch.rand({shape}, requires_grad=True)", "torch.rand({shape}, requires_grad=True) * 1")
START = """
import operator
import random

import torch
import torch.nn.functional as F

chosen = random.random() < 0.5
"""
ROWS = [
    pytest.param(row, path, id=path) for row in OPERATION_ROWS for path in row.paths if row.measured and " " not in path
]


class Called(ast.NodeTransformer):
    """An example with the call of `f` written as the call of a path, with keywords."""

    def __init__(self, path: str, keywords: str) -> None:
        self.path, self.keywords = path, keywords

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "f":
            method = self.path.startswith("torch.Tensor.") and node.args and not isinstance(node.args[0], ast.Starred)
            owner = ast.unparse(node.args.pop(0)) if method else ""
            name = f"({owner}).{self.path.removeprefix('torch.Tensor.')}" if method else self.path
            given = [*map(ast.unparse, node.args), *map(ast.unparse, node.keywords), self.keywords]
            return ast.parse(f"{name}({', '.join(given)})", mode="eval").body
        return node


def pieces(row: Operation, path: str) -> Iterator[str]:
    """What a program does with the operation: each keyword that torch takes, with operands of two kinds and gradients
    on and off."""
    for example in (row.example, *row.others[:1]):
        for keywords in KEYWORDS:
            called = ast.unparse(Called(path, keywords).visit(ast.parse(example, mode="eval")))
            for operand in OPERANDS:
                names = LETTERS[: len(operand_names(row))]
                shapes = (*row.shapes, *[(2, 2)] * len(names))
                made = [f"{name} = {operand.format(shape=shapes[at])}\n" for at, name in enumerate(names)]
                for line in (f"given = {called}\n", f"with torch.no_grad():\n    given = {called}\n"):
                    piece = "".join(made) + line
                    if (shown := _shown(piece, names)) is not None:
                        yield f"{piece}{shown}\n"


def _shown(piece: str, names: str) -> str | None:
    """What is revealed of a piece; None where torch refuses it."""
    space: dict[str, Any] = {}
    exec(START, space)  # programs of our own rows
    try:
        exec(piece, space)
    except Exception:
        return None
    given = space["given"]
    several = isinstance(given, tuple | list)
    tensors = [f"given[{at}]" for at in range(len(given)) if isinstance(given[at], torch.Tensor)] if several else []
    return f"reveal({', '.join([*tensors[:3], *([] if several else ['given']), *names])})"


@pytest.mark.parametrize(("row", "path"), ROWS)
def test_keywords_give_what_torch_gives(row: Operation, path: str) -> None:
    found = list(dict.fromkeys(pieces(row, path)))
    assert compare(START + "".join(found)).disagreements == []
