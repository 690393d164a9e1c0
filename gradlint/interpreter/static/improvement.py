"""Branches in which a loop keeps the best so far: what they compare is set there."""

from __future__ import annotations

from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import Scan, Scope, spelled
from gradlint.interpreter.static.tree_walk import in_order
from gradlint.source import targets

_BETTER = (cst.GreaterThan, cst.GreaterThanEqual, cst.LessThan, cst.LessThanEqual)
_LEAVING = (cst.Break, cst.Raise, cst.Return)


def keeps_best(scan: Scan, scope: Scope, test: Any, target: Any) -> bool:
    """Return whether what is given this target in the branch behind this test is the best so far, which the loop goes
    on from and the scope, or who has its object, reads elsewhere."""
    branch = next((node for node, around in scan.timing if around is scope and _tests(node, test)), None)
    if branch is None:
        return False
    inside = list(in_order(branch.body))
    set_there = {spelled(one) for node in inside if type(node) is cst.Assign for one in _targets(node)}
    compared = {spelled(side) for side in _sides(test)} - {""}
    if compared.isdisjoint(set_there) or any(isinstance(node, _LEAVING) for node in inside):
        return False
    return type(target) is cst.Attribute or _is_read(scope, target.value, set(inside))


def _tests(node: cst.CSTNode, test: Any) -> bool:
    return isinstance(node, cst.If) and node.test is test


def _sides(test: Any) -> list[Any]:
    """Return the sides of a comparison by size in a test, or in a part that is joined by `and`, `or` or `not`."""
    found, todo = [], [test]
    while todo:
        node = todo.pop()
        if type(node) is cst.BooleanOperation:
            todo += [node.left, node.right]
        elif type(node) is cst.UnaryOperation:
            todo.append(node.expression)
        elif type(node) is cst.Comparison and isinstance(node.comparisons[0].operator, _BETTER):
            found += [node.left, node.comparisons[0].comparator]
    return found


def _targets(node: cst.Assign) -> list[Any]:
    return [single for each in node.targets for single in targets(each.target)]


def _is_read(scope: Scope, name: str, inside: set[Any]) -> bool:
    """Return whether a name is read in a scope, but for these pieces of its syntax."""
    bound: set[Any] = set()
    mentioned: set[Any] = set()
    for node in in_order(scope.node):
        if type(node) is cst.Assign:
            bound.update(_targets(node))
        elif type(node) is cst.Name and node.value == name:
            mentioned.add(node)
    return not mentioned <= bound | inside
