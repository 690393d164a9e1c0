"""The calls whose results a function takes out of their graph by itself: `net(batch).detach()`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.static.tree_walk import in_order

DETACH = "detach"


def cut_calls(function: cst.FunctionDef) -> frozenset[str]:
    """Return the spellings of the calls of whose results a function detaches some, at once or by a name that stands for
    one of them and nothing else; of all calls, where it detaches all that it returns."""
    nodes = list(in_order(function.body))
    assigned: dict[str, set[str]] = {}
    for node in nodes:
        if type(node) is cst.Assign and len(node.targets) == 1 and type(target := node.targets[0].target) is cst.Name:
            assigned.setdefault(target.value, set()).update(_chain(node.value))
    cut = [node for node in nodes if _is_cut(node)]
    found = {name for node in cut for name in _chain(node)}
    found |= {name for one in found for name in assigned.get(one, ())}
    returned = [node.value for node in nodes if type(node) is cst.Return]
    if returned and all(value is not None and any(map(_is_cut, _down(value))) for value in returned):
        found |= {dotted(node.func) for node in nodes if type(node) is cst.Call}
    return frozenset(found)


def _is_cut(node: Any) -> bool:
    return type(node) is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value == DETACH


def _chain(node: Any) -> Iterator[str]:
    """Yield the spellings of the calls of an expression, one on the other, and of what is under them."""
    for one in _down(node):
        yield dotted(one.func) if type(one) is cst.Call else dotted(one)


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
