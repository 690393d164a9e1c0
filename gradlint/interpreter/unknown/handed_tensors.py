"""Tensors by what they are handed to: a function of torch that takes a tensor and nothing else."""

from __future__ import annotations

from gradlint.domain.values import ImportPath
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import HANDED


def path_of(m: Interpreter, chain: str) -> str:
    """The import path that a dotted name means; empty where it means none."""
    first, _, rest = chain.partition(".")
    found = variables.lookup(m, first) if first else None
    return "" if type(found) is not ImportPath else f"{found.path}.{rest}" if rest else found.path


def is_operand(m: Interpreter, use: str) -> bool:
    """Return whether a function of torch is passed the thing where it takes a tensor and nothing else."""
    if not use.startswith(HANDED):
        return False
    path, _, index = use.removeprefix(HANDED).rpartition(" ")
    row = m.torch.operations.get(path_of(m, path))
    if row is None or int(index) >= len(row.parameters):
        return False
    name = row.parameters[int(index)]
    return name in row.operands and name not in (*row.numbers, *row.optional)
