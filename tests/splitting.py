"""Splitting: a program of one file written as several, so that what is found of both can be compared.

Definitions at the top level move into files of their own and are imported where they are used; what they need of
imports and of numbers and strings that are named once goes along. All else stays in the script.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gradlint.frozen import frozen

SCRIPT = "script"
"""The file in which what does not move stays."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Way = Callable[[Definition], str]
"""Into which file a definition goes; `SCRIPT` where it stays."""


@frozen()
class Split:
    """The files of a split program by name, and the line of the whole for each of their lines that comes from it."""

    texts: Mapping[str, str]
    lines: Mapping[tuple[str, int], int]


def split(text: str, way: Way) -> Split | None:
    """Return the program as several files; None where nothing in it can move that way."""
    tree = ast.parse(text)
    movable = _movable(tree)
    homes = _homes(movable, way)
    if not homes:
        return None
    rows = text.splitlines()
    shared = [(row, rows[row - 1]) for node in tree.body if _goes_along(node, tree) for row in _rows(node)]
    moved = {row for name in homes for row in _rows(movable[name])}
    after = max((row for node in tree.body if _is_import(node) for row in _rows(node)), default=0)
    files = {file: [*shared, *_imports(file, homes, movable)] for file in dict.fromkeys(homes.values())}
    for name, file in homes.items():
        files[file] += [(0, ""), (0, ""), *((row, rows[row - 1]) for row in _rows(movable[name]))]
    stays = [(row, line) for row, line in enumerate(rows, 1) if row not in moved]
    at = next((at for at, (row, _) in enumerate(stays) if row > after), len(stays))
    files[SCRIPT] = [*stays[:at], *_imports(SCRIPT, homes, movable), *stays[at:]]
    return Split(
        {file: "".join(f"{line}\n" for _, line in lines) for file, lines in files.items()},
        {(file, at): row for file, lines in files.items() for at, (row, _) in enumerate(lines, 1) if row},
    )


def by_class(node: Definition) -> str:
    """Classes go into one file, functions stay."""
    return "classes" if isinstance(node, ast.ClassDef) else SCRIPT


def by_function(node: Definition) -> str:
    """Functions go into two files by turns, as the length of their names has it, classes stay."""
    return SCRIPT if isinstance(node, ast.ClassDef) else ("first", "second")[len(node.name) % 2]


TRAINING = frozenset({"backward", "step", "zero_grad", "train", "eval", "no_grad"})
"""What functions use that train or evaluate."""


def by_role(node: Definition) -> str:
    """Networks, what trains or evaluates them, and all else."""
    if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("Module") for base in node.bases):
        return "networks"
    used = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
    return "training" if used & TRAINING else "helpers"


WAYS: tuple[Way, ...] = (by_class, by_function, by_role)


def _rows(node: Any) -> range:
    """The lines of a statement, its decorators among them."""
    decorators = getattr(node, "decorator_list", ())
    return range(min([node.lineno, *(each.lineno for each in decorators)]), node.end_lineno + 1)


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _goes_along(node: ast.stmt, tree: ast.Module) -> bool:
    """Whether a statement at the top level may stand in every file: an import, or a name for one number or string."""
    if _is_import(node):
        return True
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
        return False
    return isinstance(node.value, ast.Constant) and _bound(tree)[node.targets[0].id] == 1


def _bound(tree: ast.AST) -> Counter[str]:
    """How often names are bound anywhere in a program."""
    found = Counter[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, Definition):
            found[node.name] += 1
        elif isinstance(node, ast.alias):
            found[(node.asname or node.name).partition(".")[0]] += 1
        elif isinstance(node, ast.arg):
            found[node.arg] += 1
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names * 2)
    return found


def _movable(tree: ast.Module) -> dict[str, Definition]:
    """The definitions that need nothing of the script, by name."""
    bound = _bound(tree)
    found = {node.name: node for node in tree.body if isinstance(node, Definition) and bound[node.name] == 1}
    along = [node for node in tree.body if _goes_along(node, tree)]
    others = {name for node in tree.body if node not in along and node not in found.values() for name in _bound(node)}
    needed = {name: _needs(node) for name, node in found.items()}
    stuck = {name for name, needs in needed.items() if needs & others or needs & NOT_MOVED}
    while more := {name for name, needs in needed.items() if name not in stuck and needs & stuck}:
        stuck |= more
    return {name: node for name, node in found.items() if name not in stuck}


NOT_MOVED = frozenset({"globals", "__name__", "reveal"})
"""What means something else in another file."""


def _needs(node: Definition) -> set[str]:
    """The names that a definition reads and may not bind itself."""
    bound = _bound(node)
    read = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    changed = {name for each in ast.walk(node) if isinstance(each, ast.Global) for name in each.names}
    return {name for name in read if not bound[name]} | changed


def _homes(movable: Mapping[str, Definition], way: Way) -> dict[str, str]:
    """The file of each definition that moves; what it needs goes with it, and files that need each other become one."""
    homes = {name: file for name, node in movable.items() if (file := way(node)) != SCRIPT}
    todo = list(homes)
    while todo:
        name = todo.pop()
        for need in _needs(movable[name]) & movable.keys() - homes.keys():
            homes[need] = homes[name]
            todo.append(need)
    while both := _circle(homes, movable):
        homes = {name: both[0] if file == both[1] else file for name, file in homes.items()}
    return homes


def _circle(homes: Mapping[str, str], movable: Mapping[str, Definition]) -> tuple[str, str] | None:
    """Two files of which each imports the other, perhaps over a third."""
    uses: dict[str, set[str]] = {file: set() for file in homes.values()}
    for name, file in homes.items():
        uses[file] |= {homes[need] for need in _needs(movable[name]) & homes.keys()}
    for _ in uses:
        uses = {file: used.union(*(uses[each] for each in used)) for file, used in uses.items()}
    return next(((a, b) for a, used in uses.items() for b in sorted(used) if a < b and a in uses[b]), None)


def _imports(file: str, homes: Mapping[str, str], movable: Mapping[str, Definition]) -> Iterator[tuple[int, str]]:
    """The imports of what moved elsewhere and is needed in a file; the script imports all of it."""
    inside = [_needs(movable[name]) for name in homes if homes[name] == file]
    needed: Sequence[str] = list(homes) if file == SCRIPT else sorted(set[str]().union(*inside))
    for other in dict.fromkeys(homes.values()):
        names = [name for name in needed if name in homes and homes[name] == other != file]
        if names:
            yield 0, f"from {other} import {', '.join(names)}"
