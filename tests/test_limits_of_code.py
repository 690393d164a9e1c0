"""How large functions and files may be. ruff counts parameters and complexity as well, everywhere."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LINES, FUNCTION, PARAMETERS, COMPLEXITY = "lines", "lines of functions", "parameters", "complexity"
MOST = {LINES: 500, FUNCTION: 60, PARAMETERS: 6, COMPLEXITY: 12}
BY_RUFF = {PARAMETERS: "PLR0913", COMPLEXITY: "C901"}
PROGRAMS = ("tests/cases", "tests/packs", "tests/programs", "tests/semantics")
"""What is linted in tests, and is no code of ours."""
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]


Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.AST, within: str = "") -> Iterator[tuple[str, Function, int]]:
    """All functions of a file: the names that lead there, the function, and how many parameters Python fills itself."""
    for node in ast.iter_child_nodes(tree):
        name = within
        if isinstance(node, Function | ast.ClassDef):
            name = f"{within}.{node.name}".lstrip(".")
        if isinstance(node, Function):
            is_static = any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in node.decorator_list)
            yield name, node, isinstance(tree, ast.ClassDef) and not is_static
        yield from functions(node, name)


def parameters(function: Function) -> int:
    """How many parameters a function has, as ruff counts them."""
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return len([one for one in every if not one.arg.startswith("_")])


def complexity(node: ast.AST) -> int:
    """The cyclomatic complexity of a function or a part of it, as ruff counts it."""
    ways = sum(complexity(inner) for inner in ast.iter_child_nodes(node) if not isinstance(inner, ast.expr))
    if isinstance(node, ast.Try | ast.TryStar):
        return ways + bool(node.orelse)
    if isinstance(node, ast.Match):
        return ways - any(isinstance(case.pattern, ast.MatchAs) and not case.pattern.pattern for case in node.cases)
    branches = (ast.FunctionDef, ast.AsyncFunctionDef, ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler)
    return ways + isinstance(node, (*branches, ast.match_case))


def too_large(name: str, text: str) -> Iterator[tuple[str, str, int]]:
    """What of a file is over a limit: which, where, and how large it is."""
    sizes = [(LINES, name, text.count("\n"))]
    for function, node, bound in functions(ast.parse(text)):
        where = f"{name} {function}"
        sizes.append((FUNCTION, where, (node.end_lineno or 0) - node.lineno + 1))
        sizes += [(PARAMETERS, where, parameters(node) - bound), (COMPLEXITY, where, complexity(node))]
    yield from (one for one in sizes if one[2] > MOST[one[0]])


@cache
def found() -> list[tuple[str, str, int]]:
    """All that is over a limit."""
    files = [path for folder in ("gradlint", "rules", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
    names = {path: path.relative_to(ROOT).as_posix() for path in files}
    texts = {name: path.read_text(encoding="utf-8") for path, name in names.items() if not name.startswith(PROGRAMS)}
    return [one for name, text in texts.items() for one in too_large(name, text)]


@pytest.mark.parametrize("limit", MOST)
def test_nothing_is_larger(limit: str) -> None:
    assert [f"{where} has {size}: divide it by ideas" for which, where, size in found() if which == limit] == []


@pytest.mark.parametrize("limit", BY_RUFF)
def test_ruff_has_the_same_limit_and_leaves_out_nothing(limit: str) -> None:
    assert BY_RUFF[limit] in SETTINGS["select"]
    assert MOST[limit] in (SETTINGS["pylint"]["max-args"], SETTINGS["mccabe"]["max-complexity"])
    assert not [pattern for pattern, codes in SETTINGS["per-file-ignores"].items() if BY_RUFF[limit] in codes]


LONG = "def f():\n" + "    x = 1\n" * 60
BRANCHING = """
def f(x):
    for one in x:
        while one:
            if one > 1:
                pass
            elif one > 2:
                pass
    try:
        x = [one for one in x if one]
    except ValueError:
        pass
    except TypeError:
        pass
    else:
        pass
    match x:
        case 1:
            pass
        case 2 | 3:
            pass
        case _:
            pass
    def inner():
        if x and inner or not x:
            pass
    async def later():
        async for one in x:
            pass
"""


@pytest.mark.parametrize(
    ("limit", "text", "where", "size"),
    [
        (LINES, "x = 1\n" * 501, "a.py", 501),
        (FUNCTION, LONG, "a.py f", 61),
        (FUNCTION, "class A:\n" + "".join(f"    {line}\n" for line in LONG.splitlines()), "a.py A.f", 61),
        (PARAMETERS, "def f(a, b, /, c, d=1, *e, f, **h): ...\ndef g(a, _b, c, d, e, f, g): ...", "", 0),
        (PARAMETERS, "async def f(a, b, c, /, d, e=1, *, f, g=2): ...", "a.py f", 7),
        (COMPLEXITY, BRANCHING, "a.py f", 14),
    ],
)
def test_what_is_too_large_is_noticed(limit: str, text: str, where: str, size: int) -> None:
    assert [*too_large("a.py", text)] == ([(limit, where, size)] if size else [])
