"""How large functions and files may be, and which are still larger: those are listed with their sizes, and only shrink.

`limits_of_code.toml` lists them. A size that has grown is a fault; one that has shrunk is written down there, and what
is within the limit is struck out. ruff counts parameters and complexity as well, wherever files are not listed.
"""

from __future__ import annotations

import ast
import fnmatch
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
LISTED = tomllib.loads((ROOT / "tests/limits_of_code.toml").read_text(encoding="utf-8"))
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
def found() -> dict[str, dict[str, int]]:
    """All that is over a limit, as the list has it."""
    sizes: dict[str, dict[str, int]] = {limit: {} for limit in MOST}
    for folder in ("gradlint", "rules", "tests"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(PROGRAMS):
                for limit, where, size in too_large(name, path.read_text(encoding="utf-8")):
                    sizes[limit][where] = size
    return sizes


def changes(listed: dict[str, int], now: dict[str, int]) -> list[str]:
    """What of a list does not hold any more, in words that say what to do."""
    told = []
    for where in sorted({*listed, *now}):
        before, size = listed.get(where), now.get(where)
        if before is None:
            told.append(f"{where} has {size}: divide it by ideas")
        elif size is None:
            told.append(f"{where} is within the limit: take it off the list")
        elif size != before:
            told.append(f"{where} has {size}, {before} are listed: {'shrink it' if size > before else 'list that'}")
    return told


@pytest.mark.parametrize("limit", MOST)
def test_only_what_is_listed_is_larger_and_no_more_so(limit: str) -> None:
    assert changes(LISTED.get(limit, {}), found()[limit]) == []


@pytest.mark.parametrize("limit", BY_RUFF)
def test_ruff_has_the_same_limit_and_leaves_out_no_more(limit: str) -> None:
    assert BY_RUFF[limit] in SETTINGS["select"]
    assert MOST[limit] in (SETTINGS["pylint"]["max-args"], SETTINGS["mccabe"]["max-complexity"])
    left_out = [pattern for pattern, codes in SETTINGS["per-file-ignores"].items() if BY_RUFF[limit] in codes]
    files = {where.partition(" ")[0] for where in LISTED.get(limit, {})}
    assert not [pattern for pattern in left_out if not fnmatch.filter(files, pattern)]


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


def test_a_list_that_does_not_hold_is_noticed() -> None:
    assert changes({"a": 7, "b": 8, "c": 9, "d": 7}, {"b": 9, "c": 8, "d": 7, "e": 7}) == [
        "a is within the limit: take it off the list",
        "b has 9, 8 are listed: shrink it",
        "c has 8, 9 are listed: list that",
        "e has 7: divide it by ideas",
    ]
