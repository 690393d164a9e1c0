"""Reads of gradients: whether they have to be there, and the names that their tensors were given when made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from gradlint.frozen import frozen
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.tree_walk import in_order

NEEDED, HANDED = "needed", "handed"
LOOKING = frozenset(
    "print pprint repr str format id type bool isinstance append add extend insert put get setdefault debug info "
    "warning error log write items".split()
)
"""Functions and methods that take None as well as anything else."""


@frozen()
class Reads:
    """The findings of one walk over a file: the uses of gradients that are read, and the names that computed values
    get."""

    uses: dict[Any, str]
    names: dict[Any, str]


def reads_in(tree: cst.Module) -> Reads:
    """Return the uses of the gradients that a file reads, and the names of the values that it computes."""
    uses = {read: use for read, use in _uses(tree) if type(read) is cst.Attribute and read.attr.value == "grad"}
    return Reads(uses, dict(_names(tree)))


def _names(tree: cst.Module) -> Iterator[tuple[Any, str]]:
    for node in in_order(tree):
        if type(node) is cst.Assign and len(node.targets) == 1 and (name := spelled(node.targets[0].target)):
            yield node.value, name


def _uses(tree: cst.Module) -> Iterator[tuple[Any, str]]:
    for node in in_order(tree):
        fields = NEEDING.get(type(node))
        if fields is not None:
            yield from ((getattr(node, name), NEEDED) for name in fields)
        elif type(node) is cst.Call and not _only_looks(node.func):
            yield from ((argument.value, HANDED) for argument in node.args)


NEEDING: dict[type, tuple[str, ...]] = {
    cst.Attribute: ("value",),
    cst.BinaryOperation: ("left", "right"),
    cst.Subscript: ("value",),
    cst.AugAssign: ("target", "value"),
    cst.For: ("iter",),
}
"""The fields of syntax in which None raises, whatever the other operand."""


def _only_looks(func: Any) -> bool:
    name = func.attr.value if type(func) is cst.Attribute else getattr(func, "value", "")
    return name in LOOKING or (isinstance(name, str) and name.startswith("assert"))
