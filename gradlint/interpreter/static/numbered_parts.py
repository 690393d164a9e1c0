"""Loops over numbers that are the places or the names of parts: `layers[i]`, `getattr(self, f"block{i}")`."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.tree_walk import in_order

NAMING = frozenset(
    {"getattr", "setattr", "add_module", "register_module", "register_parameter", "register_buffer", "get_submodule"}
)
"""Functions and methods that are given the names of parts."""


def names_parts(loop: cst.For) -> bool:
    """Return whether the only variable of a loop is an index in its body, or in the name of a part."""
    if type(loop.target) is not cst.Name:
        return False
    name = loop.target.value
    return any(_mentions(one, name) for node in in_order(loop.body) for one in _told_by(node))


def _told_by(node: Any) -> list[Any]:
    """The expressions that say which part is meant."""
    if type(node) is cst.Subscript:
        return [element.slice for element in node.slice]
    if type(node) is cst.Call and spelled(node.func).rpartition(".")[2] in NAMING:
        return [argument.value for argument in node.args if type(argument.value) is not cst.Name]
    return []


def _mentions(tree: Any, name: str) -> bool:
    return any(type(node) is cst.Name and node.value == name for node in in_order(tree))
