"""Every regular expression of the package takes time linear in the text, whoever wrote that."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import gradlint
from gradlint import globs

ROOT = Path(gradlint.__file__).parent
MADE_LATER = {
    "ignoring": "the expressions of globs",
    "patterns": "the expressions of globs",
    "interpreter.stdlib.strings": "expressions of the program: short ones that hardly repeat, on short texts",
    "knowledge.schema": "the words of rows are written by authors of packs, and held against one name of a program",
}
"""Modules that make expressions as they run, and why."""

LONG, OFTEN = 10_000, 3_000
"""How long a text is at least, and how often what is repeated is in it."""
QUICK = 0.02
"""CPU seconds, in which all is found in such a text where it takes some steps for each character; their square takes
some 50 ms."""
MOST = 8
"""How many times longer a text may take that is four times as long: linear time is 4, the square 16."""


def compiled() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """All expressions that lie in modules, with where."""
    for info in pkgutil.walk_packages(gradlint.__path__, "gradlint."):
        if not info.name.startswith("gradlint.testing") and not info.name.endswith("__main__"):
            for name, thing in sorted(vars(importlib.import_module(info.name)).items()):
                for number, one in enumerate(thing.values() if isinstance(thing, dict) else [thing]):
                    if isinstance(one, re.Pattern):
                        yield f"{info.name.removeprefix('gradlint.')}.{name}{number or ''}", one


PATTERNS = {id(pattern): (where, pattern) for where, pattern in compiled()}


# ---- texts that an expression finds hard


def samples(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """Texts that begin as a match does, one for each part it has, and texts to repeat behind them."""
    parsed = re._parser.parse(pattern.pattern, pattern.flags)  # type: ignore[attr-defined]
    parts = [*map(sample, parsed), *max(([*map(sample, branch)] for branch in branches(parsed)), key=len, default=[])]
    begun = ["".join(parts[:number]) for number in range(len(parts) + 1)]
    signs = sorted({letter for letter in "".join([*begun, *leaves(parsed)]) if not letter.isalnum()})
    within = product(begun, (" ", "\n", "a"))
    at_first = {*begun, *parts, *leaves(parsed), *" \n\"'\\([#.:=-a0", *map("".join, product(signs[:8], repeat=2))}
    at_first |= {begun[-1][:end] for end in range(len(begun[-1]))}
    alone = (("", piece) for piece in sorted(at_first))
    return list(dict.fromkeys([*within, *zip(begun, parts, strict=False), *alone]))


def sample(part: Any) -> str:
    """A short text that a part of an expression matches."""
    kind, value = str(part[0]), part[1]
    if kind in ("LITERAL", "NOT_LITERAL"):
        return chr(value) if kind == "LITERAL" else "a"
    if kind == "ANY":
        return "a"
    if kind == "IN":
        return of_set(value)
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return "".join(map(sample, value[2])) * max(value[0], min(value[1], 1))
    if kind == "SUBPATTERN":
        return "".join(map(sample, value[-1]))
    if kind == "ATOMIC_GROUP":
        return "".join(map(sample, value))
    return "".join(map(sample, value[1][0])) if kind == "BRANCH" else ""


def of_set(members: list[Any]) -> str:
    first = members[0]
    kinds = {"CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "0", "CATEGORY_WORD": "a", "CATEGORY_NOT_SPACE": "a"}
    if str(first[0]) == "NEGATE":
        return "a"
    if str(first[0]) == "RANGE":
        return chr(first[1][0])
    return chr(first[1]) if str(first[0]) == "LITERAL" else kinds.get(str(first[1]), "-")


def leaves(parsed: Any) -> Iterator[str]:
    """Texts for each part, however deep it is inside others."""
    for part in parsed:
        yield sample(part)
        inside = part[1] if isinstance(part[1], tuple | list) else ()
        for deeper in inside:
            if type(deeper).__name__ == "SubPattern":
                yield from leaves(deeper)
            elif isinstance(deeper, list):
                for branch in deeper:
                    if type(branch).__name__ == "SubPattern":
                        yield from leaves(branch)


def branches(parsed: Any) -> list[Any]:
    """The alternatives that an expression is made of."""
    for part in parsed:
        if str(part[0]) == "SUBPATTERN":
            return branches(part[1][-1])
        if str(part[0]) == "BRANCH":
            return list(part[1][1])
    return []


class Slow(Exception):
    """A text took too long."""


def stop(number: int, frame: FrameType | None) -> None:
    raise Slow


def seconds(pattern: re.Pattern[Any], begin: str, piece: str, number: int) -> float:
    """CPU seconds for all that an expression finds in a text."""
    text: Any = begin + piece * number + "\0"
    text = text.encode() if isinstance(pattern.pattern, bytes) else text
    start = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return time.process_time() - start


def is_hard(pattern: re.Pattern[Any], begin: str, piece: str) -> bool:
    number = max(OFTEN, LONG // len(piece))
    first = max(seconds(pattern, begin, piece, each) for each in (60, number))
    if first < QUICK:
        return False
    long = min(first, seconds(pattern, begin, piece, number))
    return long > QUICK and long > MOST * min(seconds(pattern, begin, piece, number // 4) for _ in range(2))


def hard(pattern: re.Pattern[Any]) -> str:
    """A text that takes an expression more than linear time; empty where none is found."""
    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        for begin, piece in (text for text in samples(pattern) if text[1]):
            signal.setitimer(signal.ITIMER_VIRTUAL, 1)
            if is_hard(pattern, begin, piece):
                return f"{begin!r}, then {piece!r} again and again"
    except Slow:
        return f"{begin!r}, then {piece!r} again and again"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return ""


@pytest.mark.parametrize(("where", "pattern"), PATTERNS.values(), ids=[where for where, _ in PATTERNS.values()])
def test_expressions_take_linear_time(where, pattern):
    assert hard(pattern) == ""


@pytest.mark.parametrize(
    "pattern",
    [
        *(r"(a+)+b", r"\s+$", r"a.*b.*c", r"\[[^\]]*\]", r'"(?:[^\\\n]|\\.)*?"', r"\d+x", r"(?:\w+\.)*end"),
        r"from[^\S\n]+(?P<dots>[.\s]*)(?P<module>[\w.]*)\s+import",
        r"#\s*gradlint:\s*ignore\b(?P<list>\[(?P<words>[^\]]*)\])?",
    ],
)
def test_an_expression_that_takes_longer_is_noticed(pattern):
    assert hard(re.compile(pattern, re.DOTALL | re.MULTILINE))


# ---- expressions that are made as gradlint runs


def made_within(tree: ast.AST, within: bool = False) -> Iterator[str]:
    """What functions ask `re` for, with the line."""
    for node in ast.iter_child_nodes(tree):
        if within and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re":
            yield f"line {node.lineno}: re.{node.attr}"
        yield from made_within(node, within or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))


@pytest.mark.parametrize(
    "path", sorted({*ROOT.rglob("*.py")} - {*(ROOT / "testing").rglob("*.py")}), ids=lambda path: path.stem
)
def test_expressions_lie_in_modules_where_they_are_tested(path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    harmless = ("re.escape", "re.Pattern", "re.Match")
    made = [one for one in made_within(ast.parse(path.read_text())) if not one.endswith(harmless)]
    assert bool(made) is (name in MADE_LATER), made


GLOBS = ["*a*a*a*a*a*a*a*ac", "**/**/**/**/**/**/**/**/**/**/x", "**/a/**/a/**/a/**/a/**/a/**/c", "a**/*a*/**/*a*/**/c"]
PATHS = ["a" * 4000 + "b", "a/" * 2000 + "b", "/" * 4000 + "b", "ab/" * 1300]


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("glob", [*GLOBS, "[!b]*" * 30 + "c", "**/?*/" * 30 + "c", "*" * 1000 + "c", "**/" * 300 + "c"])
def test_globs_match_in_linear_time(glob, across):
    expression = re.compile(globs.translate(glob, across=across), re.DOTALL)
    for path in PATHS:
        start = time.process_time()
        assert not expression.match(path)
        assert time.process_time() - start < 0.5, path
