"""The uses of a name behind the line that makes it hold nothing: what it stood for before is another thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import Scope, uses_in
from gradlint.interpreter.static.tree_walk import in_order

MOST_EMPTIED = 50
"""The most lines of a scope that are looked at because they make a name hold nothing: each costs a walk."""


@dataclass(slots=True)
class UsesBehind:
    """The uses of names behind each line that makes a name hold nothing, and the number of the line in which each piece
    of syntax of a scope stands, by the scope."""

    behind: dict[Any, Mapping[str, Mapping[str, None]]] = field(default_factory=dict)
    lines: dict[cst.CSTNode, Mapping[Any, int]] = field(default_factory=dict)


def uses_behind(scope: Scope, name: str, place: Any, known: UsesBehind) -> Mapping[str, None]:
    """Return the uses of what a name is bound to at a place: none of what it stood for before a line of the scope
    itself made it hold None or a number."""
    uses = scope.uses.get(name, {})
    if place is None or not uses or name not in scope.emptied.values():
        return uses
    lines = _lines(scope)
    at = _places(scope, lines, known).get(place, 0)
    emptied = [number for number, line in enumerate(lines[:at]) if _empties(scope, line, name)]
    if not emptied or len(scope.emptied) > MOST_EMPTIED:
        return uses
    last = emptied[-1]
    if lines[last] not in known.behind:
        before = [one for one in lines[:last] if isinstance(one, cst.FunctionDef | cst.ClassDef)]
        known.behind[lines[last]] = uses_in(scope, [*before, *lines[last + 1 :]])
    return known.behind[lines[last]].get(name, {})


def _lines(scope: Scope) -> list[Any]:
    body: Any = getattr(scope.node, "body", ())
    return [*(body if type(scope.node) is cst.Module else getattr(body, "body", ()))]


def _empties(scope: Scope, line: Any, name: str) -> bool:
    small = line.body if type(line) is cst.SimpleStatementLine else ()
    return any(scope.emptied.get(one) == name for one in small)


def _places(scope: Scope, lines: list[Any], known: UsesBehind) -> Mapping[Any, int]:
    """Return the number of the line in which each piece of syntax of a scope stands."""
    if scope.node not in known.lines:
        known.lines[scope.node] = {node: number for number, line in enumerate(lines) for node in in_order(line)}
    return known.lines[scope.node]
