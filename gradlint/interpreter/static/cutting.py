"""The calls whose results a function takes out of their graph by itself: `net(batch).detach()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.static.tree_walk import in_order

CUTTING = frozenset({"detach", "item", "numpy", "tolist"})
"""The methods whose results are in no graph."""
DATA = "data"
"""The attribute that is in no graph."""


def cut_calls(function: cst.FunctionDef) -> frozenset[str]:
    """Return the spellings of the calls of whose results a function takes some out of the graph, at once or by names
    that stand for what it computes from them; of all calls, where it cuts all that it returns."""
    nodes = list(in_order(function.body))
    assigned: dict[str, set[str]] = {}
    for node in nodes:
        if type(node) is cst.Assign:
            for name in _names_bound(node):
                assigned.setdefault(name, set()).update(_spellings(node.value))
    found, more = set[str](), {name for node in nodes if _is_cut(node) for name in _spellings(node)}
    while more:
        found |= more
        more = {name for one in more for name in assigned.get(one, ())} - found
    returned = [node.value for node in nodes if type(node) is cst.Return]
    if returned and all(value is not None and any(map(_is_cut, _down(value))) for value in returned):
        found |= {dotted(node.func) for node in nodes if type(node) is cst.Call}
    return frozenset(found)


def _names_bound(node: cst.Assign) -> Iterator[str]:
    """Yield the names that an assignment binds, alone or unpacked."""
    for target in node.targets:
        held = target.target
        parts = [one.value for one in held.elements] if isinstance(held, cst.Tuple | cst.List) else [held]
        yield from (part.value for part in parts if type(part) is cst.Name)


def _is_cut(node: Any) -> bool:
    if type(node) is cst.Attribute:
        return node.attr.value == DATA
    return type(node) is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value in CUTTING


def _spellings(node: cst.CSTNode) -> Iterator[str]:
    """Yield the spellings of the calls in an expression, and of the names."""
    for one in in_order(node):
        if type(one) is cst.Call:
            yield dotted(one.func)
        elif type(one) is cst.Name:
            yield one.value


def _down(node: Any) -> Iterator[Any]:
    """An expression, and what its methods, attributes and elements are taken of."""
    while True:
        yield node
        if type(node) is cst.Call:
            node = node.func
        elif type(node) in (cst.Attribute, cst.Subscript):
            node = node.value
        else:
            return
