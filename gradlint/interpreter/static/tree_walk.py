"""Trees for those who do not know LibCST: all that a program consists of, in the order of its text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site
from gradlint.source import parts, targets


def in_order(tree: Any) -> Iterator[Any]:
    """All pieces of syntax, whatever is around one before it; layout is left out."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        todo += reversed(parts(node))


def is_statement(node: Site) -> bool:
    """Return whether a piece of syntax is a statement."""
    return isinstance(node, cst.BaseSmallStatement | cst.BaseCompoundStatement)


def mentions_of(tree: Any, owner: str) -> list[tuple[str, Any, bool]]:
    """The attributes of what a program writes like this, with its place and whether it is read there, not set or
    deleted."""
    found, set_there = [], set[Any]()
    for node in in_order(tree):
        if isinstance(node, cst.AssignTarget | cst.AnnAssign | cst.AugAssign | cst.Del | cst.For):
            set_there.update(targets(node.target))
        elif isinstance(node, cst.Attribute) and spelled(node.value) == owner:
            found.append((node.attr.value, node))
    return [(name, node, node not in set_there) for name, node in found]


def elements_of(node: Any) -> list[Any]:
    """Return the elements of a tuple; of everything else itself."""
    return [element.value for element in node.elements] if type(node) is cst.Tuple else [node]
