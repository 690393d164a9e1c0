"""The rooms of the interpreter: each says what it holds, and imports rooms below it; nothing imports in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "gradlint" / "interpreter"
NAME = "gradlint.interpreter"
ROOMS = "static engine autograd python nn training unknown libraries torch_api syntax stdlib".split()
"""From the ground up; above them is what runs a whole file."""
FILES = {path: path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}


def imports(text: str, *, when_run: bool = False) -> Iterator[tuple[str, str]]:
    """The modules of the interpreter that a file imports from, once for each name, with the name; `when_run`: not those
    that only the type checker sees."""
    tree = ast.parse(text)
    guards = (node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    unseen = {inner for guard in guards if when_run for inner in ast.walk(guard)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{NAME}.") and node not in unseen:
            yield from ((node.module or "", alias.name) for alias in node.names)


def upward(text: str, room: str) -> list[str]:
    """The names that a file of a room imports from rooms above it, or from what is above all."""
    height = {name: at for at, name in enumerate([*ROOMS, ""])}
    found = []
    for module, name in imports(text):
        parts = [*module.split(".")[2:3], name]
        if height[next((part for part in parts if part in ROOMS), "")] > height[room]:
            found.append(name)
    return found


def through_domain(text: str) -> list[str]:
    """What a file imports from `gradlint.domain` as a whole, and not from the file that defines it."""
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom))
    return [alias.name for node in found if node.module == "gradlint.domain" for alias in node.names]


def within_functions(text: str) -> list[str]:
    """The functions of a file that import something."""
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [one.name for one in functions if any(isinstance(n, ast.Import | ast.ImportFrom) for n in ast.walk(one))]


def arrows(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """The modules that each module imports when it is run."""
    wanted = {at: [(f"{module}.{name}", module) for module, name in imports(text, when_run=True)]
              for at, text in texts.items()}  # fmt: skip
    return {at: {inner if inner in texts else outer for inner, outer in found} for at, found in wanted.items()}


def circles(arrows: Mapping[str, set[str]]) -> list[set[str]]:
    """The strongly connected components of more than one node, or of one that points at itself (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: list[str] = []
    found: list[set[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        open_.append(node)
        for other in arrows.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in open_:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = open_.index(node)
            component = set(open_[at:])
            del open_[at:]
            if len(component) > 1 or node in arrows.get(node, ()):
                found.append(component)

    for node in arrows:
        if node not in index:
            visit(node)
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_holds(room: str) -> None:
    lines = (ROOT / room / "README.md").read_text(encoding="utf-8").splitlines()
    assert lines[0] == f"# {room}" and len(lines) <= 40
    assert f"[{room}]({room}/README.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_folder_is_a_room() -> None:
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} == set(ROOMS)


def test_nothing_is_imported_from_above() -> None:
    found = {path: upward(text, path.parent.name) for path, text in FILES.items() if path.parent.name in ROOMS}
    assert not {path.relative_to(ROOT): names for path, names in found.items() if names}


def test_nothing_is_imported_in_a_circle() -> None:
    texts = {".".join((NAME, *path.relative_to(ROOT).with_suffix("").parts)): text for path, text in FILES.items()}
    assert not circles(arrows(texts))


def test_nothing_is_imported_within_a_function() -> None:
    found = {path.relative_to(ROOT): within_functions(text) for path, text in FILES.items()}
    assert not {path: names for path, names in found.items() if names}


def test_what_is_known_is_imported_from_where_it_is_defined() -> None:
    found = {path.relative_to(ROOT): through_domain(text) for path, text in FILES.items()}
    assert not {path: names for path, names in found.items() if names}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from gradlint.domain import NO, Tensor", ["NO", "Tensor"]),
        ("from gradlint.domain.facts import NO\nfrom gradlint.domain.objects import Tensor", []),
    ],
)
def test_what_is_imported_through_domain_is_seen(text: str, names: list[str]) -> None:
    assert through_domain(text) == names


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


@pytest.mark.parametrize(
    ("b", "c", "circle"),
    [
        ("from gradlint.interpreter.c import f", "from gradlint.interpreter import a", {"a", "b", "c"}),
        ("from gradlint.interpreter import c", "def f():\n    from gradlint.interpreter import b", {"b", "c"}),
        ("from gradlint.interpreter import c", "from gradlint.interpreter.c import f", {"c"}),
        ("from gradlint.interpreter import c", "if TYPE_CHECKING:\n    from gradlint.interpreter import a", None),
        ("from gradlint.interpreter import c", "from gradlint.domain import YES", None),
    ],
)
def test_a_circle_is_seen(b: str, c: str, circle: set[str] | None) -> None:
    texts = {f"{NAME}.{at}": text for at, text in (("a", "from gradlint.interpreter.b import f"), ("b", b), ("c", c))}
    assert circles(arrows(texts)) == ([] if circle is None else [{f"{NAME}.{at}" for at in circle}])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a\ndef f(): pass", []),
        ("def f():\n    import a", ["f"]),
        ("class C:\n    async def f(self):\n        if x:\n            from a import b", ["f"]),
    ],
)
def test_what_is_imported_within_a_function_is_seen(text: str, names: list[str]) -> None:
    assert within_functions(text) == names


# ---- words

CONTRIBUTING = (ROOT.parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
PRIVATE = frozenset("tell tells told hand handed hands ask asked asks gone went stands strange strangers tale".split())
"""Words that say nothing to who knows CPython, torch or abstract interpretation."""


def rows(title: str) -> list[tuple[str, str]]:
    """The rows of the table below a title of CONTRIBUTING."""
    text = CONTRIBUTING.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    cells = [
        tuple(cell.strip() for cell in line.strip("|").split("|")) for line in text.splitlines() if line[:1] == "|"
    ]
    return [(first, second) for first, second in cells[2:]]


def private(text: str) -> list[str]:
    """The functions and classes of a file that are named by such words."""
    named = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.ClassDef))
    parts = {node.name: re.findall(r"[A-Z]?[a-z]+", node.name) for node in named}
    return [name for name, words in parts.items() if not PRIVATE.isdisjoint(map(str.lower, words))]


@pytest.mark.parametrize("path", sorted((ROOT / "engine").glob("*.py")), ids=lambda path: path.stem)
def test_the_engine_is_named_in_the_words_of_the_field(path: Path) -> None:
    assert private(path.read_text(encoding="utf-8")) == []


def test_private_words_are_seen() -> None:
    assert private("def tell_built(): ...\nclass Tale:\n    def _went_on(self): ...\ndef emit(): ...") == [
        "tell_built",
        "Tale",
        "_went_on",
    ]


def test_a_word_has_one_meaning() -> None:
    words = [word.strip() for first, _ in rows("Words") for word in re.sub(r"\(.*?\)", "", first).split(",")]
    assert len(words) > 20 and len(set(words)) == len(words)


@pytest.mark.parametrize(("question", "answer"), rows("Where a change belongs"))
def test_a_change_belongs_where_contributing_says(question: str, answer: str) -> None:
    named = re.findall(r"`(\w+/[\w/]*(?:\.py)?)`(?:: `(\w+)`)?", answer)
    for path, function in named:
        (place,) = [one for one in (ROOT / path, ROOT.parent / path) if one.exists()]
        assert not function or f"\ndef {function}(" in place.read_text(encoding="utf-8"), question
    assert named or "TypeSlot.ITERATE" in answer
