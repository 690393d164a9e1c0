"""Calls that are put into a program so that it tells what only its text knows: what it drops, what it sets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

WITNESS = "__witness__"
NAMED = frozenset({"append", "forward"})
"""Methods that are told wherever they are called."""


def told(text: str) -> ast.Module:
    """The program with the calls put into it, every line where it was."""
    tree = ast.parse(text)
    Telling(_reads(tree)).visit(tree)
    return ast.fix_missing_locations(tree)


class Telling(ast.NodeTransformer):
    """Puts the calls in."""

    def __init__(self, reads: list[ast.Name]) -> None:
        self.reads = reads
        self.loops: list[ast.For] = []

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        value = node.value
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Call) and _is_reveal(value)):
            return node
        if isinstance(value, ast.Compare) and isinstance(value.left, ast.Attribute):
            value = value.left
        if isinstance(value, ast.Attribute):
            self.generic_visit(value)
            told = _call("looked", [value.value, ast.Constant(value.attr)], value)
            return ast.copy_location(ast.Expr(told), node)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            value = self._method(value)
        self.generic_visit(value)
        return ast.copy_location(ast.Expr(_call("dropped", [value], node.value)), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute) and node.func.attr in NAMED:
            node = self._method(node)
        return self.generic_visit(node)

    def _method(self, node: ast.Call) -> ast.Call:
        func = node.func
        if not isinstance(func, ast.Attribute):
            return node
        told = _call("method", [func.value, ast.Constant(func.attr), ast.Constant(ast.unparse(func.value))], func)
        return ast.copy_location(ast.Call(told, node.args, node.keywords), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        around = [*self._before(node)], [*self._after(node)]
        self.generic_visit(node)
        return [*around[0], node, *around[1]] if any(around) else node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.loops.append(node)
        self.generic_visit(node)
        self.loops.pop()
        return node

    def _before(self, node: ast.Assign) -> Iterator[ast.stmt]:
        for target in node.targets:
            if isinstance(target, ast.Attribute) and _is_place(target.value):
                yield _statement("setting", [_again(target.value)], node)
            if isinstance(target, ast.Name) and self._is_loops(target.id):
                kept = ast.Assign([ast.Name(_old(target.id), ast.Store())], ast.Name(target.id, ast.Load()))
                yield ast.copy_location(kept, node)

    def _after(self, node: ast.Assign) -> Iterator[ast.stmt]:
        for target in node.targets:
            if isinstance(target, ast.Attribute) and _is_place(target.value):
                texts = [ast.Constant(target.attr), ast.Constant(ast.unparse(target.value))]
                yield _statement("was_set", [_again(target.value), *texts], node)
            if isinstance(target, ast.Subscript) and _is_place(target.value) and _is_key(target.slice):
                yield _statement("stored", [_again(target.value), _again(target.slice)], node)
            if isinstance(target, ast.Name) and isinstance(node.value, ast.Name):
                yield _statement("named_again", [ast.Name(target.id, ast.Load())], node)
            if isinstance(target, ast.Name) and self._is_loops(target.id):
                names = [ast.Name(name, ast.Load()) for name in (_old(target.id), target.id)]
                told = _statement("rebound", [ast.Constant(target.id), *names], node)
                told.value.keywords = [ast.keyword("read", ast.Constant(self._is_read(target.id, node)))]  # type: ignore[attr-defined]
                yield told

    def _is_loops(self, name: str) -> bool:
        """Whether a loop around it binds this name."""
        return any(name in {one.id for one in _names(loop.target)} for loop in self.loops)

    def _is_read(self, name: str, assigned: ast.Assign) -> bool:
        """Whether a name is read further down after it was bound again."""
        return any(one.id == name and one.lineno > assigned.lineno for one in self.reads)


def _reads(tree: ast.AST) -> list[ast.Name]:
    """The names that are read, but for those that a comprehension binds for itself."""
    comprehensions = [one for one in ast.walk(tree) if isinstance(one, ast.GeneratorExp | ast.ListComp | ast.DictComp)]
    own: set[ast.Name] = set()
    for one in comprehensions:
        bound = {name.id for clause in one.generators for name in _names(clause.target)}
        own |= {name for name in _names(one) if name.id in bound}
    return [name for name in _names(tree) if isinstance(name.ctx, ast.Load) and name not in own]


def names_read(text: str) -> dict[int, frozenset[str]]:
    """The names that each row reads, but for those that it reveals: nothing is done with them."""
    tree = ast.parse(text)
    revealed = {
        name for call in ast.walk(tree) if isinstance(call, ast.Call) and _is_reveal(call) for name in _names(call)
    }
    rows: dict[int, set[str]] = {}
    for one in _names(tree):
        if isinstance(one.ctx, ast.Load) and one not in revealed:
            rows.setdefault(one.lineno, set()).add(one.id)
    return {row: frozenset(names) for row, names in rows.items()}


def guarded(text: str) -> frozenset[int]:
    """The rows at which a gradient is only compared or tested."""
    rows: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        tests = [node.test] if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert) else []
        tests += [node] if isinstance(node, ast.Compare | ast.BoolOp) else []
        rows |= {
            one.lineno
            for test in tests
            for one in ast.walk(test)
            if isinstance(one, ast.Attribute) and one.attr == "grad"
        }
    return frozenset(rows)


def _names(node: ast.AST) -> Iterator[ast.Name]:
    return (one for one in ast.walk(node) if isinstance(one, ast.Name))


def _old(name: str) -> str:
    return f"{WITNESS}{name}"


def _is_place(node: ast.expr) -> bool:
    """Whether to evaluate it once more changes nothing."""
    return not any(isinstance(one, ast.Call | ast.NamedExpr | ast.Await | ast.Yield) for one in ast.walk(node))


def _is_key(node: ast.expr) -> bool:
    """Whether it is one key, not a slice, that can be evaluated once more."""
    return _is_place(node) and not any(isinstance(one, ast.Slice) for one in ast.walk(node))


def _again(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


def _is_reveal(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "reveal"


def _call(name: str, args: list[ast.expr], at: ast.AST) -> ast.Call:
    told = ast.Call(ast.Attribute(ast.Name(WITNESS, ast.Load()), name, ast.Load()), args, [])
    return ast.copy_location(told, at)


def _statement(name: str, args: list[ast.expr], at: ast.AST) -> ast.Expr:
    return ast.copy_location(ast.Expr(_call(name, args, at)), at)
