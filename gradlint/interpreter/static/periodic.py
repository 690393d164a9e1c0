"""Tests that hold every so many times: about a remainder, or a counter that is set back where it is compared.

What takes the remainder may stand elsewhere: in a name, in an attribute that is never given anything else, or in a
function that returns nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import Scan, Scope, dotted

JOINED = 2
"""The most flags and functions that may stand between a test and the remainder."""
_TESTS = frozenset(
    {cst.Attribute, cst.BinaryOperation, cst.BooleanOperation, cst.Call, cst.Comparison, cst.Name, cst.UnaryOperation}
)
_TEXTS = frozenset({cst.SimpleString, cst.ConcatenatedString, cst.FormattedString})
_REACHED = (cst.Equal, cst.GreaterThan, cst.GreaterThanEqual)


def periodic(scan: Scan) -> frozenset[cst.CSTNode]:
    """The tests of `if` statements of a file that hold every so many times."""
    if scan.periodic is None:
        scan.periodic = _Flags(scan).tests()
    return scan.periodic


class _Flags:
    """The flags that hold every so many times: `names` of scopes, `attributes` and `functions` of a whole file."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self.names: set[tuple[cst.CSTNode, str]] = set()
        self.attributes: set[str] = set()
        self.functions: set[str] = set()
        self.counted = {
            (scope.node, dotted(node.target))
            for node, scope in scan.timing
            if type(node) is cst.AugAssign and type(node.operator) is cst.AddAssign
        }

    def tests(self) -> frozenset[cst.CSTNode]:
        for _ in range(JOINED):
            self._learn()
        found = [(node, scope) for node, scope in self.scan.timing if type(node) is cst.If]
        return frozenset(
            node.test for node, scope in found if self._holds(node.test, scope) or self._sets_back(node, scope)
        )

    def _learn(self) -> None:
        attributes: dict[str, list[tuple[Any, Scope]]] = {}
        functions: dict[str, list[tuple[Any, Scope]]] = {}
        for node, scope in self.scan.timing:
            if type(node) is cst.Return and type(scope.node) is cst.FunctionDef:
                functions.setdefault(scope.node.name.value, []).append((node.value, scope))
            elif type(node) is cst.Assign:
                target = node.targets[0].target
                if type(target) is cst.Attribute:
                    attributes.setdefault(target.attr.value, []).append((node.value, scope))
                elif type(target) is cst.Name and type(node.value) in _TESTS and self._holds(node.value, scope):
                    self.names.add((scope.node, target.value))
        self.attributes |= {name for name, given in attributes.items() if self._all_hold(given)}
        self.functions |= {name for name, given in functions.items() if self._all_hold(given)}

    def _all_hold(self, given: Sequence[tuple[Any, Scope]]) -> bool:
        """Return whether all of these hold every so many times, but for constants."""
        telling = [(value, scope) for value, scope in given if not _is_constant(value)]
        return bool(telling) and all(type(value) in _TESTS and self._holds(value, scope) for value, scope in telling)

    def _holds(self, test: Any, scope: Scope) -> bool:
        """Return whether a test, or a part of it that is joined by `and`, `or` or `not`, is about a remainder."""
        todo = [test]
        while todo:
            node = todo.pop()
            kind = type(node)
            if kind is cst.BooleanOperation:
                todo += [node.left, node.right]
            elif kind is cst.Comparison:
                todo.append(node.left)
            elif kind is cst.UnaryOperation:
                todo.append(node.expression)
            elif kind is cst.BinaryOperation and type(node.operator) is cst.Modulo:
                return type(node.left) not in _TEXTS
            elif self._is_flag(node, scope):
                return True
        return False

    def _is_flag(self, node: cst.CSTNode, scope: Scope) -> bool:
        if isinstance(node, cst.Name):
            return (scope.node, node.value) in self.names
        if isinstance(node, cst.Attribute):
            return node.attr.value in self.attributes
        return isinstance(node, cst.Call) and dotted(node.func).rpartition(".")[2] in self.functions

    def _sets_back(self, node: cst.If, scope: Scope) -> bool:
        """Return whether a counter is compared, and set back to zero where it has come far enough."""
        test = node.test
        if type(test) is not cst.Comparison or type(test.comparisons[0].operator) not in _REACHED:
            return False
        counter = dotted(test.left)
        return (
            counter != ""
            and (scope.node, counter) in self.counted
            and any(
                type(small) is cst.Assign and dotted(small.targets[0].target) == counter and _is_zero(small.value)
                for line in node.body.body
                if type(line) is cst.SimpleStatementLine
                for small in line.body
            )
        )


def _is_constant(value: Any) -> bool:
    return type(value) is cst.Name and value.value in ("False", "None", "True")


def _is_zero(value: Any) -> bool:
    return type(value) is cst.Integer and value.value == "0"
