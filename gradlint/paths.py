"""The folders that a file adds to `sys.path`, as far as its text tells."""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Callable, Iterator, Sequence

ADDING = frozenset({"append", "insert", "extend"})


def added_to_path(text: str, path: str, started: Sequence[str]) -> tuple[str, ...]:
    """Return the folders that a file, whose own path this is, puts on `sys.path`. A relative one is one of the folders
    in which the program may have been `started`."""
    if "sys.path" not in text:
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        reader = _Reader(tree, path)
        found = dict.fromkeys(folder for node in ast.walk(tree) for folder in _added(node, reader))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    folders = (os.path.normpath(os.path.join(start, one)) for one in found for start in started)
    return tuple(dict.fromkeys(folders))


def _added(node: ast.AST, reader: _Reader) -> Iterator[str]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return
    owner = node.func.value
    if node.func.attr not in ADDING or not isinstance(owner, ast.Attribute) or owner.attr != "path":
        return
    if _last(owner.value) != "sys":
        return
    given = node.args[-1]
    parts = given.elts if isinstance(given, ast.List | ast.Tuple) else [given]
    yield from (one for part in parts if (one := reader.read(part)) is not None)


def _last(node: ast.expr) -> str:
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


class _Reader:
    """Reads expressions for paths: strings, `__file__`, what `os.path` and `pathlib` make of them, and names that the
    top level binds once."""

    def __init__(self, tree: ast.Module, path: str) -> None:
        bound: dict[str, list[ast.expr]] = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                bound.setdefault(node.targets[0].id, []).append(node.value)
        self.names = {name: values[0] for name, values in bound.items() if len(values) == 1}
        self.path, self.reading = path, set[str]()

    def read(self, node: ast.expr) -> str | None:
        """The path that an expression stands for; None where the text does not tell."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Call):
            name = _last(node.func)
            if name in HERE:
                return ""
            if isinstance(node.func, ast.Attribute) and not node.args:
                return self.read(node.func.value) if name in SAME else None
            return self._joined(node.args, CALLS[name]) if name in CALLS and not node.keywords else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return self._joined([node.left, node.right], os.path.join)
        if isinstance(node, ast.Attribute) and node.attr == "parent":
            return self._joined([node.value], os.path.dirname)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "parents":
            at = node.slice.value if isinstance(node.slice, ast.Constant) else None
            return self._above(node.value.value, at) if isinstance(at, int) and 0 <= at < MOST_PARENTS else None
        return None

    def _above(self, node: ast.expr, number: int) -> str | None:
        found = self.read(node)
        for _ in range(number + 1 if found is not None else 0):
            found = os.path.dirname(found or "")
        return found

    def _name(self, name: str) -> str | None:
        if name == "__file__":
            return self.path
        if name not in self.names or name in self.reading:
            return None
        self.reading.add(name)
        found = self.read(self.names[name])
        self.reading.discard(name)
        return found

    def _joined(self, nodes: Sequence[ast.expr], join: Callable[..., str]) -> str | None:
        parts = [part for node in nodes if (part := self.read(node)) is not None]
        many = len(nodes) > 1 and join is not os.path.join
        return None if many or not parts or len(parts) < len(nodes) else join(*parts)


MOST_PARENTS = 20
HERE = frozenset({"getcwd", "cwd"})
"""The functions that give the folder in which the program was started."""
SAME = frozenset({"resolve", "absolute", "as_posix"})
"""Methods of paths that give the same folder."""
CALLS: dict[str, Callable[..., str]] = {
    "join": os.path.join,
    "dirname": lambda path: os.path.dirname(path),
    "abspath": lambda path: path,
    "realpath": lambda path: path,
    "normpath": lambda path: path,
    "Path": os.path.join,
    "str": lambda path: path,
}
"""The functions of `os.path` and `pathlib` on paths, by name; all but those that join take one."""
