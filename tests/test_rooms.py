"""The rooms of the interpreter: each says what it holds, and imports rooms below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "gradlint" / "interpreter"
NAME = "gradlint.interpreter"
ROOMS = "static engine autograd python nn training unknown libraries torch_api syntax stdlib".split()
"""From the ground up; above them is what runs a whole file."""
UPWARD = 36
"""How many names are still imported from a room above: lower it when one is gone."""


def imports(text: str, room: str) -> Iterator[tuple[str, str]]:
    """The rooms that a file of a room imports from, once for each name, with the name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[:2] == NAME.split("."):
            parts = (node.module or "").split(".")[2:]
            for alias in node.names:
                other = next((part for part in (*parts[:1], alias.name) if part in ROOMS), "")
                if other != room:
                    yield other, alias.name


def upward(text: str, room: str) -> list[str]:
    """The names that a file of a room imports from rooms above it, or from what is above all."""
    height = {name: at for at, name in enumerate([*ROOMS, ""])}
    return [name for other, name in imports(text, room) if height[other] > height[room]]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_holds(room: str) -> None:
    lines = (ROOT / room / "README.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"# {room}" and len(lines) <= 40
    assert f"[{room}]({room}/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_folder_is_a_room() -> None:
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} == set(ROOMS)


def test_no_more_is_imported_from_above() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for room in ROOMS
        for path in sorted((ROOT / room).glob("*.py"))
        for name in upward(path.read_text(encoding="utf-8"), room)
    ]
    assert len(found) == UPWARD, "\n".join(found)


@pytest.mark.parametrize(
    ("line", "room", "names"),
    [
        ("from gradlint.interpreter.nn.module import build", "python", ["build"]),
        ("from gradlint.interpreter.nn import module, swa", "autograd", ["module", "swa"]),
        ("from gradlint.interpreter.engine.machine import Interpreter", "static", ["Interpreter"]),
        ("def f():\n    from gradlint.interpreter import driver", "stdlib", ["driver"]),
        ("from gradlint.interpreter.engine.machine import Interpreter", "autograd", []),
        ("from gradlint.interpreter.python import classes", "python", []),
        ("from gradlint.domain import YES", "static", []),
    ],
)
def test_what_comes_from_above_is_seen(line: str, room: str, names: list[str]) -> None:
    assert upward(line, room) == names
