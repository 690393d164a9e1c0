"""The exceptions that a `try` may raise and that its handlers catch, as far as the program's text tells."""

from __future__ import annotations

import builtins
from functools import lru_cache
from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import NUMBERS, dotted
from gradlint.interpreter.static.tree_walk import in_order

PLACES = (cst.Name, cst.Attribute, cst.Dot)
QUIET = (cst.Expr, cst.Call, cst.Arg, cst.Comma, cst.SimpleString, *PLACES, *NUMBERS)
"""The syntax of a statement in which calls alone can raise anything: `loss.sum().backward()`."""
LOOKED_UP = (cst.Name, cst.Call)
"""The syntax that attributes may be read off in it."""


def catches_all(node: cst.Try) -> bool:
    """Return whether no error passes the handlers of a `try`."""
    names = ("Exception", "BaseException")
    return any(handler.type is None or dotted(handler.type) in names for handler in node.handlers)


def is_a_probe(node: cst.Try) -> bool:
    """Return whether the program tries a single statement and waits for torch's own kind of error."""
    waits = (handler.type is not None and dotted(handler.type) == "RuntimeError" for handler in node.handlers)
    return _single(node.body) is not None and any(waits)


def lets_refusals_pass(node: cst.Try) -> bool:
    """Return whether what torch refuses in a `try` (a RuntimeError) passes its handlers, and nothing else can be
    raised: a single statement that calls a method or writes in place, with names and numbers."""
    one = _single(node.body)
    if type(one) is cst.Expr and type(one.value) is cst.Call and type(one.value.func) is cst.Attribute:
        parts: list[Any] = [one.value.func, *(arg.value for arg in one.value.args)]
    elif type(one) is cst.AugAssign:
        parts = [one.target, one.value]
    else:
        return False
    calm = all(dotted(part) or type(part) in NUMBERS for part in parts)
    return calm and not any(_may_catch_a_refusal(handler.type) for handler in node.handlers)


def _may_catch_a_refusal(kind: Any) -> bool:
    if type(kind) is cst.Tuple:
        return any(_may_catch_a_refusal(element.value) for element in kind.elements)
    known = getattr(builtins, dotted(kind), None) if kind is not None else None
    return not isinstance(known, type) or issubclass(RuntimeError, known)


def _single(body: Any) -> Any:
    """The only statement of a block, if there is but one: a small statement by itself, without its line."""
    lines: Any = getattr(body, "body", ())
    if len(lines) != 1 or type(lines[0]) is not cst.SimpleStatementLine:
        return lines[0] if len(lines) == 1 else None
    return lines[0].body[0] if len(lines[0].body) == 1 else None


@lru_cache(4096)
def calls_alone(statement: Any) -> frozenset[Any]:
    """The calls of a statement, if nothing else in it can raise anything; otherwise none."""
    pieces = list(in_order(statement)) if type(statement) is cst.Expr else []
    looked_up = [piece.value for piece in pieces if type(piece) is cst.Attribute]
    if not all(type(piece) in QUIET for piece in pieces) or any(type(one) not in LOOKED_UP for one in looked_up):
        return frozenset()
    return frozenset(piece for piece in pieces if type(piece) is cst.Call)
