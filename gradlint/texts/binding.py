"""The names that a text binds at its top level."""

from __future__ import annotations

import ast
import re
import warnings
from collections import deque
from dataclasses import dataclass, field

from gradlint.texts.magics import without_magics


@dataclass(slots=True)
class Names:
    """The names a file binds, those it lists in `__all__` (None: not all of it can be read), and the modules it takes
    everything from."""

    bound: dict[str, None] = field(default_factory=dict)
    listed: list[str] | None = None
    stars: list[tuple[int, str]] = field(default_factory=list)


LIST = re.compile(r"^__all__ *= *(\[[^\[\]]*\]|\([^()]*\))[ \t]*(?:#.*)?$", re.MULTILINE)
"""The statement that most files list their public names in."""


def bound(text: str) -> Names:
    """The names that a text binds.

    They are read off Python's own syntax tree, which takes a seventh of the time of ours; where the names are listed,
    that statement alone is parsed."""
    if text.count("__all__") == 1 and (found := LIST.search(text)) and (listed := _strings(found[1])) is not None:
        return Names(listed=listed)
    out = Names()
    lists: list[list[str] | None] = []
    todo: deque[ast.AST] = deque(_statements(text) or _statements(without_magics(text)))
    while todo:
        node = todo.popleft()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            out.bound[node.name] = None
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            out.stars.append((node.level, node.module or ""))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            out.bound |= dict.fromkeys(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            out.bound[node.id] = None
        elif not isinstance(node, ast.expr) or isinstance(node, ast.Tuple | ast.List | ast.Starred):
            todo.extendleft(reversed(list(ast.iter_child_nodes(node))))
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            lists += _listed(node)
    out.listed = None if not lists or None in lists else [name for names in lists for name in names or ()]
    return out


def _statements(text: str) -> list[ast.stmt]:
    """The statements of a text, none where Python does not parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _strings(text: str) -> list[str] | None:
    """The strings of a list that is written down; None where it is none, or not of strings."""
    try:
        found = list(ast.literal_eval(text))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return found if all(type(one) is str for one in found) else None


def _listed(node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> list[list[str] | None]:
    """Return the lists that a statement puts into `__all__`, if it does; None where that is no list of strings."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
        return []
    parts = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [None]
    strings = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return [strings if len(strings) == len(parts) else None]
