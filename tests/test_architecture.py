"""The rooms: who imports whom, and what may not be done where, read off the syntax trees of all modules."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import get_args

import pytest
from conftest import NEED_TORCH

from gradlint.domain import Object

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Import:
    """One imported module: its absolute name, or dots and a name, and whether a function does it."""

    module: str
    line: int
    within: bool

    def is_of(self, *packages: str) -> bool:
        return any(self.module == package or self.module.startswith(f"{package}.") for package in packages)


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.AST, within: bool = False) -> Iterator[Import]:
    """Everything a tree imports; of `from a import b` both `a` and `a.b`, since `b` may be a module."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, within) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield Import(base, node.lineno, within)
            yield from (Import(f"{base.rstrip('.') or base}.{alias.name}", node.lineno, within) for alias in node.names)
        yield from imports(node, within or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))


def modules(folder: str) -> list[Path]:
    return [path.relative_to(ROOT) for path in sorted((ROOT / folder).rglob("*.py"))]


def room(path: Path) -> str:
    """The part of gradlint a module belongs to: `domain`, `interpreter`, `linter` ..."""
    return path.with_suffix("").parts[1]


ENGINE, RULES = modules("gradlint"), modules("rules")
PURE = (
    "domain",
    "events",
    "finding",
    "fixes",
    "interpreter",
    "knowledge",
    "linter",
    "rule",
    "source",
    "texts",
    "versions",
)
"""The rooms that a run of the linter passes through."""
APART = ("registry", "linter", "proving", "testing", "report", "cli", "run", "config", "files", "cache", "suppression")
BELOW_KNOWLEDGE = ("domain", "frozen", "knowledge", "versions")
IMPURE_MODULES = (
    "asyncio", "datetime", "glob", "importlib", "multiprocessing", "os", "pathlib", "random", "secrets", "shutil",
    "socket", "subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid",
)  # fmt: skip
FOR_THE_STACK = {
    "sys.getrecursionlimit", "sys.maxsize", "sys.setrecursionlimit",
    "threading.Lock", "threading.Thread", "threading.stack_size",
}  # fmt: skip
"""Deeply nested programs need a deep stack, which is given back (see `test_laws`); `maxsize` is but a number."""
IMPURE_CALLS = frozenset({"open", "print", "input", "exec", "eval", "__import__", "globals", "breakpoint"})

Law = Callable[[Path, ast.Module], Iterator[str]]


def no_torch(path: Path, tree: ast.Module) -> Iterator[str]:
    """Law 1: only `testing`, functions of `proving`, and examples and consequences of rules import torch."""
    if path.parts[0] == "gradlint" and room(path) == "testing":
        return
    may_within = path.parts[0] == "rules" or room(path) == "proving"
    for found in imports(tree):
        if found.is_of("torch", "numpy") and not (may_within and found.within):
            yield f"line {found.line} imports {found.module}"


def rooms(path: Path, tree: ast.Module) -> Iterator[str]:
    """Law 2: `domain` imports nothing of ours but `frozen`, `interpreter` knows neither rules nor who runs it."""
    if path.parts[0] != "gradlint":
        return
    for found in imports(tree):
        ours = found.is_of("gradlint", "gradlint_rules", "rules") or found.module.startswith(".")
        if room(path) == "domain" and ours and not found.is_of("gradlint.domain", "gradlint.frozen"):
            yield f"line {found.line}: domain imports {found.module}"
        if (
            room(path) == "knowledge"
            and ours
            and not found.is_of("gradlint.domain", "gradlint.frozen", "gradlint.knowledge", "gradlint.versions")
        ):
            yield f"line {found.line}: knowledge imports {found.module}"
        if room(path) == "interpreter" and found.is_of("gradlint.rule", *(f"gradlint.{name}" for name in APART)):
            yield f"line {found.line}: interpreter imports {found.module}"


def libcst(path: Path, tree: ast.Module) -> Iterator[str]:
    """Law 2: only `interpreter` and `source` touch LibCST."""
    if path.parts[0] == "gradlint" and room(path) in ("interpreter", "source"):
        return
    yield from (f"line {found.line} imports {found.module}" for found in imports(tree) if found.is_of("libcst"))


def rules_know_little(path: Path, tree: ast.Module) -> Iterator[str]:
    """Law 2: rules import `domain`, `events`, `rule` and helpers of their own family, and outside examples no more
    than the standard library's words for types."""
    if path.parts[0] != "rules":
        return
    known = (
        "gradlint.domain",
        "gradlint.events",
        "gradlint.rule",
        "typing",
        "collections",
        "dataclasses",
        "__future__",
    )
    for found in imports(tree):
        relative = found.module.startswith(".") and not found.module.startswith("..")
        if found.within and found.is_of("gradlint", "gradlint_rules", "rules", "libcst"):
            yield f"line {found.line}: an example imports {found.module}"
        if not found.within and not relative and not found.is_of(*known):
            yield f"line {found.line} imports {found.module}"


def only_the_registry_loads_rules(path: Path, tree: ast.Module) -> Iterator[str]:
    """Packs are imported by entry point, and by nobody but the registry."""
    for found in imports(tree):
        if found.is_of("gradlint_rules", "rules"):
            yield f"line {found.line} imports {found.module}"
        looks = found.is_of("importlib.metadata.entry_points", "importlib.metadata.distributions", "pkg_resources")
        if looks and path != Path("gradlint/registry.py"):
            yield f"line {found.line} imports {found.module}"


def no_tests(path: Path, tree: ast.Module) -> Iterator[str]:
    """Law 2: nothing that is shipped imports a test or a tool of the tests."""
    for found in imports(tree):
        if found.is_of("tests", "conftest"):
            yield f"line {found.line} imports {found.module}"


def used(tree: ast.Module, module: str) -> set[str]:
    """What of an imported module is used by attribute; the module itself where that is not all."""
    known = {
        id(node.value): f"{module}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == module]
    return {known.get(id(node), module) for node in named} or {module}


def pure(path: Path, tree: ast.Module) -> Iterator[str]:
    """Law 3: what a run of the linter passes through has no files, no clock, no chance and no globals; only
    `driver` loads modules, those of the interpreter."""
    if path.parts[0] != "gradlint" or room(path) not in PURE:
        return
    loads = {"importlib", "importlib.import_module"} if path == Path("gradlint/interpreter/driver.py") else set()
    for found in imports(tree):
        if found.module not in loads and found.is_of(*IMPURE_MODULES) and not used(tree, found.module) <= FOR_THE_STACK:
            yield f"line {found.line} imports {found.module}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield f"line {node.lineno}: global {', '.join(node.names)}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            yield f"line {node.lineno} calls {node.func.id}"


FIELDS = [frozenset(one.name for one in fields(cls)) for cls in get_args(Object)]

PARAMETERS = frozenset({"dtype", "device"})
"""Parameters of torch that are called like fields."""


def listed(node: ast.AST) -> list[str]:
    """The strings that a literal lists, or that a call is given; none if it has other things in it as well."""
    name = {ast.Tuple: "elts", ast.List: "elts", ast.Set: "elts", ast.Dict: "keys", ast.Call: "args"}.get(type(node))
    parts = getattr(node, name) if name else ()
    found = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return found if len(found) == len(parts) else []


def fields_declare(path: Path, tree: ast.Module) -> Iterator[str]:
    """What follows from a field is computed from what it declares: outside of `domain` no module has a list of fields
    of one class of objects."""
    if path.parts[0] != "gradlint" or room(path) not in ("interpreter", "linter", "events", "rule"):
        return
    for statement in tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        for node in ast.walk(statement.value):
            names = listed(node)
            if len(names) > 1 and not PARAMETERS.issuperset(names) and any(known.issuperset(names) for known in FIELDS):
                yield f"line {node.lineno} lists the fields {', '.join(names)}"  # type: ignore[attr-defined]


LAWS = (no_torch, rooms, libcst, rules_know_little, only_the_registry_loads_rules, no_tests, pure, fields_declare)


@pytest.mark.parametrize("path", [*ENGINE, *RULES], ids=str)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_every_module_keeps_to_its_room(law: Law, path: Path):
    assert list(law(path, parse(ROOT / path))) == []


@pytest.mark.parametrize(
    ("law", "path", "text"),
    [
        (no_torch, "gradlint/linter.py", "import torch"),
        (no_torch, "gradlint/linter.py", "def f():\n    import torch.nn"),
        (no_torch, "gradlint/proving/running.py", "from torch import nn"),
        (no_torch, "rules/reading/a.py", "import torch"),
        (rooms, "gradlint/domain/facts.py", "from gradlint.events import Event"),
        (rooms, "gradlint/domain/facts.py", "from gradlint import events"),
        (rooms, "gradlint/domain/facts.py", "from .. import events"),
        (rooms, "gradlint/interpreter/engine/machine.py", "from gradlint.rule import Rule"),
        (rooms, "gradlint/interpreter/engine/machine.py", "from gradlint import rule"),
        (rooms, "gradlint/interpreter/engine/machine.py", "from gradlint import linter"),
        (rooms, "gradlint/knowledge/schema.py", "from gradlint.interpreter import core"),
        (libcst, "gradlint/linter.py", "import libcst as cst"),
        (libcst, "rules/reading/a.py", "from libcst import matchers"),
        (rules_know_little, "rules/reading/a.py", "from gradlint import linter"),
        (rules_know_little, "rules/reading/a.py", "from gradlint.finding import Place"),
        (rules_know_little, "rules/reading/a.py", "import gradlint"),
        (rules_know_little, "rules/reading/a.py", "import os"),
        (rules_know_little, "rules/reading/a.py", "from ..in_place import _writing"),
        (rules_know_little, "rules/reading/a.py", "from gradlint_rules.reading import b"),
        (rules_know_little, "rules/reading/a.py", "def f():\n    from gradlint import linter"),
        (only_the_registry_loads_rules, "gradlint/run.py", "import gradlint_rules"),
        (only_the_registry_loads_rules, "gradlint/run.py", "from importlib.metadata import entry_points"),
        (no_tests, "gradlint/testing/cases.py", "from tests.fuzz import compare"),
        (no_tests, "gradlint/testing/cases.py", "def f():\n    import tests.fuzz"),
        (fields_declare, "gradlint/interpreter/engine/deferred.py", "MEMORY = ('precision', 'device')"),
        (fields_declare, "gradlint/interpreter/engine/deferred.py", "L: dict = {Tensor: attrgetter('dtype', 'leaf')}"),
        (fields_declare, "gradlint/interpreter/engine/deferred.py", "GRAD = frozenset({'grad', 'unit', 'gradient'})"),
        (fields_declare, "gradlint/interpreter/autograd/results.py", "SIZES = {'scalar': UNSURE, 'size': None}"),
        (pure, "gradlint/linter.py", "import os.path"),
        (pure, "gradlint/linter.py", "import sys\nsys.setrecursionlimit(9)\nprint_ = sys.stdout"),
        (pure, "gradlint/linter.py", "import sys\nf(sys)"),
        (pure, "gradlint/linter.py", "import sys as system"),
        (pure, "gradlint/interpreter/driver.py", "from importlib import metadata"),
        (pure, "gradlint/interpreter/engine/machine.py", "from importlib import import_module"),
        (pure, "gradlint/linter.py", "from sys import argv"),
        (pure, "gradlint/linter.py", "def f():\n    global x\n    x = 1"),
        (pure, "gradlint/domain/facts.py", "print(1)"),
        (pure, "gradlint/source.py", "def f(path):\n    return open(path)"),
    ],
)
def test_a_module_in_the_wrong_room_is_noticed(law: Law, path: str, text: str):
    assert list(law(Path(path), ast.parse(text)))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "rules/reading/a.py",
            "from ._b import c\nfrom gradlint.domain import YES\ndef f():\n    import torch, contextlib",
        ),
        ("gradlint/proving/running.py", "def f():\n    import torch"),
        (
            "gradlint/interpreter/engine/machine.py",
            "import libcst as cst\nfrom gradlint import events\nfrom gradlint.knowledge import rows",
        ),
        ("gradlint/interpreter/syntax/narrowing.py", "FLAGS = {'requires_grad': 'requires_grad', 'is_leaf': 'leaf'}"),
        (
            "gradlint/interpreter/autograd/results.py",
            "SIZES = names_of(Tensor, Aspect.SIZE)\nNAMES = ('size', 'length')",
        ),
        ("gradlint/interpreter/engine/machine.py", "import sys\nsys.setrecursionlimit(sys.getrecursionlimit())"),
        ("gradlint/domain/facts.py", "from gradlint.domain.values import Ref\nimport dataclasses"),
    ],
)
def test_what_is_allowed_passes(path: str, text: str):
    assert [fault for law in LAWS for fault in law(Path(path), ast.parse(text))] == []


def run(text: str) -> str:
    """What a fresh Python prints that runs this text."""
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, cwd=ROOT, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_linting_loads_no_torch():
    text = "import torch\nw = torch.tensor([1], requires_grad=True)\n"
    loaded = run(
        "import sys\nfrom gradlint.registry import rules\nfrom gradlint.linter import lint\nimport gradlint.proving\n"
        f"found = lint({text!r}, rules())\n"
        "print([f.code for f in found], [m for m in ('torch', 'numpy', 'pytest') if m in sys.modules])"
    )
    assert loaded == "['GRD101'] []"


def needs_torch(path: Path) -> bool:
    """Whether a file cannot be imported without torch, for what it imports, or what that does."""
    return any(found.is_of("torch", "numpy") for at in loaded_with(path) for found in imported_at_once(at))


def loaded_with(path: Path) -> set[Path]:
    """A file and those of ours that are loaded with it."""
    seen: set[Path] = set()
    todo = [path]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += [
                file
                for found in imported_at_once(at)
                if found.is_of("gradlint", "tests") and (file := file_of(found.module))
            ]
    return seen


HEAVY = ("libcst", "gradlint.interpreter", "gradlint.knowledge", "gradlint.domain", "gradlint.rule", "gradlint.source")


@pytest.mark.parametrize("name", ["run", "cache", "settings", "report/__init__", "flake8"])
def test_what_plans_a_run_loads_nothing_that_analyses(name: str):
    """Law 7."""
    every = loaded_with(ROOT / "gradlint" / f"{name}.py")
    assert not [(at.name, found.module) for at in every for found in imported_at_once(at) if found.is_of(*HEAVY)]


@pytest.mark.parametrize(
    ("path", "loaded"),
    [
        ("gradlint/engine.py", "gradlint/interpreter/engine/machine.py"),
        ("tests/test_knowledge_counts.py", "tests/fuzz/comparing.py"),
    ],
)
def test_what_a_module_loads_is_noticed(path: str, loaded: str):
    assert ROOT / loaded in loaded_with(ROOT / path)


@cache
def imported_at_once(path: Path) -> tuple[Import, ...]:
    """What a file imports when it is imported itself."""
    return tuple(found for found in imports(parse(path)) if not found.within)


def file_of(module: str) -> Path | None:
    """The file of one of our modules; None of a name that is none."""
    path = ROOT.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.exists()), None)


@pytest.mark.parametrize("path", sorted((ROOT / "tests").glob("test_*.py")), ids=lambda path: path.name)
def test_what_needs_torch_is_left_out_where_it_is_not_installed(path: Path):
    assert path.name in NEED_TORCH or not needs_torch(path)


@pytest.mark.parametrize("folder", ["gradlint", "rules"])
def test_every_package_ships(folder: str):
    """Every folder with modules is listed in pyproject.toml, under the name it is imported by."""
    import tomllib

    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    name = next(name for name, place in listed["package-dir"].items() if place == folder)
    there = {".".join([name, *path.parent.parts[1:]]) for path in modules(folder)}
    assert there == {package for package in listed["packages"] if package.partition(".")[0] == name}
