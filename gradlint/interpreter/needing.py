"""What is done with a gradient that is read: whether it has to be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.scan import parts

NEEDED, HANDED = "needed", "handed"
LOOKING = frozenset(
    "print pprint repr str format id type bool isinstance append add extend insert put get setdefault debug info "
    "warning error log write items".split()
)
"""Functions and methods that take None as well as anything else."""


def use_of(it: Interpreter, node: Any) -> str:
    """How the gradient that is read here is used: "needed" (None raises), "handed" (to a call) or neither."""
    if it.needed is None:
        it.needed = {read: use for read, use in _uses(it.tree) if _reads(read)}
    return it.needed.get(node, "")


def _reads(node: Any) -> bool:
    return type(node) is cst.Attribute and node.attr.value == "grad"


def _uses(tree: cst.Module) -> Iterator[tuple[Any, str]]:
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        fields = NEEDING.get(type(node))
        if fields is not None:
            yield from ((getattr(node, name), NEEDED) for name in fields)
        elif type(node) is cst.Call and not _only_looks(node.func):
            yield from ((argument.value, HANDED) for argument in node.args)
        todo += parts(node)


NEEDING: dict[type, tuple[str, ...]] = {
    cst.Attribute: ("value",),
    cst.BinaryOperation: ("left", "right"),
    cst.Subscript: ("value",),
    cst.AugAssign: ("target", "value"),
    cst.For: ("iter",),
}
"""Where None raises, whatever the other operand."""


def _only_looks(func: Any) -> bool:
    name = func.attr.value if type(func) is cst.Attribute else getattr(func, "value", "")
    return name in LOOKING or (isinstance(name, str) and name.startswith("assert"))
