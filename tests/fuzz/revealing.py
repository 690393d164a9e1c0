"""Programs that ask for all they have: after each statement a `reveal(...)` of whatever there is then.

What there is torch says: the program is run once with probes, which look for tensors in the names that are bound, in
containers, modules and objects. What was there each time a probe came by is asked for in its place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from types import GeneratorType
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from tests.fuzz.watching import Files, execute, runs_of, settled

MOST = 8
"""How many things a line asks for, the newest."""
MOST_PARTS = 3
"""How many parts of a container, a module or an object are asked for."""
DEEPEST = 2
PROBE, REVEAL = "probe", "reveal"
SILENT = (
    ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Pass,
    ast.Return, ast.Raise, ast.Continue, ast.Break,
)  # fmt: skip
"""Statements after which there is nothing new to be asked, or nothing is reached."""
BINDING = ast.FunctionDef | ast.AsyncFunctionDef | ast.For | ast.AsyncFor | ast.With | ast.AsyncWith
"""Statements that bind names before their block begins."""
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def with_reveals(text: str, files: Files = ()) -> str:
    """The program with a `reveal(...)` wherever there is something to ask for; torch has to run it for that."""
    lines = text.splitlines()
    room = gaps(lines)
    there = places(lines, room, files)
    asked = [there.get(number, ())[-MOST:] for number in range(len(room))]
    return filled(lines, room, [f"reveal({', '.join(names)})" if names else "" for names in asked])


# ---- where there is room

Gap = tuple[int, str]
"""Where a line can be put in: behind which row, and what it begins with."""


def gaps(lines: list[str]) -> list[Gap]:
    """Where there is room in a program, in order."""
    return sorted(set(_gaps(ast.parse("\n".join(lines)).body, lines)))


def _gaps(body: list[ast.stmt], lines: list[str]) -> Iterator[Gap]:
    for statement in body:
        if lines[statement.lineno - 1][: statement.col_offset].strip():
            continue  # it does not begin its row
        if not isinstance(statement, ast.ClassDef):
            yield from _around(statement, lines)
        for inner in _blocks(statement):
            if isinstance(statement, ast.ClassDef):
                inner = [each for each in inner if isinstance(each, FUNCTIONS | ast.ClassDef)]
            yield from _gaps(inner, lines)


def _around(statement: ast.stmt, lines: list[str]) -> Iterator[Gap]:
    indent = lines[statement.lineno - 1][: statement.col_offset]
    end = statement.end_lineno or statement.lineno
    if not isinstance(statement, SILENT) and not _is_docstring(statement) and not _is_reveal(statement):
        yield end, indent
    if isinstance(statement, BINDING) and not _declares(statement):
        first = statement.body[0]
        row = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", ()))])
        inner = lines[first.lineno - 1][: first.col_offset]
        if not inner.strip() and not _is_docstring(first):
            yield row - 1, inner


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_reveal(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == REVEAL


def _declares(statement: ast.stmt) -> bool:
    """Whether names are declared inside, before which they may not be used."""
    return isinstance(statement, FUNCTIONS) and any(
        isinstance(each, ast.Global | ast.Nonlocal) for each in ast.walk(statement)
    )


def _blocks(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    parts: Iterable[Any] = [
        statement,
        *getattr(statement, "handlers", ()),
        *getattr(statement, "cases", ()),
    ]
    for part in parts:
        for name in ("body", "orelse", "finalbody"):
            yield getattr(part, name, [])


def filled(lines: list[str], room: list[Gap], calls: list[str]) -> str:
    """The program with each call in its gap; of two behind one row the one farther to the right comes first."""
    behind: dict[int, list[str]] = {}
    for (row, indent), call in reversed(list(zip(room, calls, strict=True))):
        behind.setdefault(row, []).extend(indent + line for line in call.splitlines())
    out = [*behind.get(0, [])]
    for row, line in enumerate(lines, 1):
        out += [line, *behind.get(row, [])]
    return "\n".join(out) + "\n"


# ---- what there is


def places(lines: list[str], room: list[Gap], files: Files = ()) -> dict[int, tuple[str, ...]]:
    """The expressions for which there was something each time a program came by a gap, by its number, oldest first."""
    text = filled(lines, room, [f"{PROBE}({number}, locals())" for number in range(len(room))])
    found: dict[int, dict[str, None]] = {}
    faults: list[Exception] = []

    def probe(number: int, names: dict[str, Any]) -> None:
        try:
            there = dict.fromkeys(place for name, value in names.items() for place in _asked(name, value))
        except Exception as fault:  # not the program's, which would only end there
            faults.append(fault)
            return
        known = found.setdefault(number, there)
        found[number] = {place: None for place in known if place in there}

    with settled(files):
        for code, number in runs_of(text):
            execute(code, number, **{PROBE: probe, REVEAL: lambda *_: None})
    if faults:
        raise faults[0]
    return {number: tuple(places) for number, places in found.items()}


def _asked(name: str, value: Any) -> Iterator[str]:
    """A name, if what it holds is worth asking for, and the tensors in it."""
    if name.startswith("_") or not _is_begun(value):
        return
    if (
        value is None
        or isinstance(value, bool | int | float | GeneratorType | torch.optim.Optimizer)
        or (isinstance(value, torch.amp.GradScaler | torch.nn.Module) and not isinstance(value, torch.jit.ScriptModule))
    ):
        yield name
    yield from tensors_in(name, value, DEEPEST)


def tensors_in(place: str, value: Any, depth: int) -> Iterator[str]:
    """Expressions for the tensors that are in something, itself included."""
    if is_plain_tensor(value):
        yield place
    elif depth and _is_begun(value):
        for inner, part in list(_parts(place, value))[:MOST_PARTS]:
            yield from tensors_in(inner, part, depth - 1)


def _is_begun(value: Any) -> bool:
    """Whether it can be asked: a module can from `super().__init__()` on."""
    return not isinstance(value, torch.nn.Module) or "_parameters" in vars(value)


def _parts(place: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((f"{place}[{key!r}]", part) for key, part in value.items() if isinstance(key, str | int))
    elif isinstance(value, list | tuple):
        yield from ((f"{place}[{number}]", part) for number, part in enumerate(value[:MOST_PARTS]))
    elif isinstance(value, torch.nn.Module):
        named = {**value._parameters, **value._buffers, **value._modules, **_attributes(value)}
        yield from ((_member(place, value, name), part) for name, part in named.items())
    elif type(value).__module__ == "__main__":
        yield from ((f"{place}.{name}", part) for name, part in _attributes(value).items())


def _attributes(value: Any) -> dict[str, Any]:
    attributes = getattr(value, "__dict__", {})
    return {name: part for name, part in attributes.items() if not name.startswith("_")}


def _member(place: str, module: torch.nn.Module, name: str) -> str:
    if isinstance(module, torch.nn.ParameterDict | torch.nn.ModuleDict):
        return f"{place}[{name!r}]"
    return f"{place}.{name}" if name.isidentifier() else f"{place}[{name}]"


def is_plain_tensor(value: Any) -> bool:
    """Whether it is a tensor that can be looked at: no sparse one, none without a shape yet, none inside a transform
    of functions."""
    return (
        isinstance(value, torch.Tensor)
        and value.layout is torch.strided
        and not is_lazy(value)
        and not torch._C._functorch.is_functorch_wrapped_tensor(value)
    )
