"""The number of elements that a generator's body gives, as far as the program's text tells."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import libcst as cst

LOOPS = (cst.For, cst.While)
OTHER_BODIES = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


@lru_cache(4096)
def gives_at_most_once(function: cst.FunctionDef) -> bool:
    """Return whether each run of a generator comes by no more than one `yield`."""
    return _most(function.body) < 2


def _most(node: Any) -> int:
    """Return the most times that a piece of syntax may give something; two stands for more."""
    if isinstance(node, OTHER_BODIES):
        return 0
    if isinstance(node, cst.Yield):
        return 2 if isinstance(node.value, cst.From) else 1 + _most_of(node)
    if isinstance(node, LOOPS):
        return 2 if _most_of(node) else 0
    if isinstance(node, cst.If):
        orelse = 0 if node.orelse is None else _most(node.orelse)
        return _most(node.test) + max(_most(node.body), orelse)
    return _most_of(node)


def _most_of(node: Any) -> int:
    return sum(map(_most, node.children))
