"""A program of which a part is left to chance, so that what gradlint cannot know meets all that it does know.

Flags become `random.random() < 0.5`, modes are set by such flags, single statements stand under them, and in place of a
name stands it or another that holds a thing of the same kind. What comes of it has to be among the facts as ever;
programs that people write hold little of this, and wrong ideas about what is unsure hide behind that.
"""

from __future__ import annotations

import ast
import io
import random
from collections.abc import Mapping
from contextlib import redirect_stdout
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from tests.fuzz.mistakes import stopped
from tests.fuzz.watching import settled

FLAG = "random.random() < 0.5"
SET = f"torch.set_grad_enabled({FLAG})"
MODES = {
    "torch.no_grad()": SET,
    "torch.enable_grad()": SET,
    "torch.inference_mode()": f"torch.inference_mode({FLAG})",
}
"""What becomes of the modes that a program sets."""


def left_to_chance(text: str, chance: random.Random, share: float) -> str:
    """The program with this share of its flags left to chance, and smaller ones of its statements."""
    space = {"__name__": "__main__", "reveal": lambda *values: None}
    with settled(), redirect_stdout(io.StringIO()):
        stopped(text, space)
    mixed = _Mixing(chance, share, {name: _kind(value) for name, value in space.items()}).visit(ast.parse(text))
    left = _Leaving(chance, share).visit(mixed)
    return f"import random\nimport torch\n{ast.unparse(ast.fix_missing_locations(left))}\n"


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Leaving(ast.NodeTransformer):
    """Leaves flags, modes and statements of a tree to chance."""

    def __init__(self, chance: random.Random, share: float) -> None:
        self.chance, self.share = chance, share

    def _is_left(self, part: float = 1.0) -> bool:
        return self.chance.random() < self.share * part

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _expression(FLAG) if type(node.value) is bool and self._is_left() else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        mode = MODES.get(ast.unparse(node))
        if mode and self._is_left():
            return _expression(mode)
        asks = isinstance(node.func, ast.Attribute) and node.func.attr == "requires_grad_" and not node.args
        if asks and self._is_left():
            node.args = [_expression(FLAG)]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        self.generic_visit(node)
        is_call = isinstance(node.value, ast.Call) and not ast.unparse(node).startswith("reveal(")
        return ast.If(_expression(FLAG), [node], []) if is_call and self._is_left(0.5) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        return ast.If(_expression(FLAG), [node], []) if self._is_left(0.5) else node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        if any(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            return ast.If(_expression(FLAG), [node], []) if self._is_left(0.5) else node
        if isinstance(node.value, ast.Call) and self._is_left(0.25):
            return ast.With([ast.withitem(_expression(SET))], [node])
        return node


def _kind(value: Any) -> Any:
    """What has to be alike of two things so that one may stand for the other; None: nothing may stand for it."""
    if isinstance(value, torch.Tensor) and not is_lazy(value):
        return value.dtype, value.shape, value.layout
    if isinstance(value, torch.nn.Module | torch.optim.Optimizer):
        return type(value)
    return (type(value), len(value)) if type(value) in (list, tuple, dict) else None


class _Mixing(ast.NodeTransformer):
    """Puts one of two names that were bound before in place of one, outside of functions and classes."""

    def __init__(self, chance: random.Random, share: float, kinds: Mapping[str, Any]) -> None:
        self.chance, self.share, self.kinds = chance, share, kinds
        self.bound: dict[str, None] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        return node if ast.unparse(node).startswith("reveal(") else self.generic_visit(node)  # type: ignore[return-value]

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        self.generic_visit(node)
        self.bound |= {target.id: None for target in node.targets if isinstance(target, ast.Name)}
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        kind = self.kinds.get(node.id)
        alike = [other for other in self.bound if other != node.id and kind and self.kinds.get(other) == kind]
        if not alike or not isinstance(node.ctx, ast.Load) or self.chance.random() >= self.share / 3:
            return node
        return ast.IfExp(_expression(FLAG), node, ast.Name(self.chance.choice(alike), ast.Load()))
