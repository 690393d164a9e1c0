"""Names that begin as a number and are computed anew from what they were: discounted sums, running means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from gradlint.domain.refs import Origin
from gradlint.interpreter.static.scopes import Scope, spelled
from gradlint.interpreter.static.tree_walk import elements_of, in_order


@dataclass(slots=True)
class RunningTotals:
    """The running totals of each scope, with the names of what they are computed from, and the lists that were given
    one, by where they were made."""

    totals: dict[cst.CSTNode, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    lists: set[Origin] = field(default_factory=set)


def summed_in(scope: Scope, name: str, known: RunningTotals) -> frozenset[str]:
    """Return the names of what a name is computed from that begins as a number, and is computed from itself as well;
    none where it is no such running total."""
    if scope.node not in known.totals:
        known.totals[scope.node] = _running_totals(scope.node)
    return known.totals[scope.node].get(name, frozenset())


def _running_totals(tree: Any) -> Mapping[str, frozenset[str]]:
    """The names that are assigned a number somewhere, and elsewhere what arithmetic makes of them and others."""
    begun, computed = set[str](), dict[str, set[str]]()
    for node in in_order(tree):
        if type(node) is cst.AugAssign:
            computed.setdefault(spelled(node.target), set()).update(_names(node))
        for target, value in _assigned(node) if type(node) is cst.Assign else ():
            if isinstance(value, cst.Integer | cst.Float):
                begun.add(target)
            elif type(value) is cst.BinaryOperation and target in (names := _names(value)):
                computed.setdefault(target, set()).update(names)
    return {name: frozenset(computed[name]) for name in (begun & computed.keys()) - {""}}


def _names(tree: Any) -> set[str]:
    return {node.value for node in in_order(tree) if type(node) is cst.Name}


def _assigned(node: cst.Assign) -> Iterator[tuple[str, Any]]:
    """The names that an assignment binds, each with the expression of its value."""
    for one in node.targets:
        names, values = elements_of(one.target), elements_of(node.value)
        if len(names) == len(values):
            yield from ((spelled(name), value) for name, value in zip(names, values, strict=True))
