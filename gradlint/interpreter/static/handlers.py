"""The exceptions that a `try` may raise and that its handlers catch, as far as the program's text tells."""

from __future__ import annotations

import builtins
from functools import lru_cache
from typing import Any

import libcst as cst

from gradlint.interpreter.static.scopes import NUMBERS, dotted
from gradlint.interpreter.static.tree_walk import in_order
from gradlint.knowledge.python.duck_typing_names import READS, words

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


def goes_on_the_same_way(node: cst.Try) -> bool:
    """Return whether all that is done about any error in a `try` is to tell of it, count it or raise it again: nothing
    is computed in another way."""
    return all(_only_tells(handler.body, handler) for handler in node.handlers)


def _caught_as(handler: Any) -> str | None:
    """The name under which a handler has the error."""
    return None if handler.name is None else dotted(handler.name.name)


def _only_tells(body: Any, handler: Any) -> bool:
    return all(_tells(one, handler) for line in body.body for one in _small(line))


def _small(line: Any) -> Any:
    """The statements of a line; a compound one by itself."""
    return line.body if type(line) is cst.SimpleStatementLine else (line,)


def _tells(statement: Any, handler: Any) -> bool:
    kind = type(statement)
    if kind is cst.If:
        other = statement.orelse
        return _only_tells(statement.body, handler) and (other is None or _only_tells_else(other, handler))
    if kind is cst.Raise:
        return statement.exc is None or dotted(statement.exc) == _caught_as(handler)
    if kind is cst.Return:
        return statement.value is None or dotted(statement.value) == "None"
    if kind is cst.Expr and type(statement.value) is cst.Call:
        return not words(dotted(statement.value.func)).isdisjoint(TELLING)
    return kind in (cst.Pass, cst.Continue) or (kind is cst.AugAssign and type(statement.value) in NUMBERS)


def _only_tells_else(other: Any, handler: Any) -> bool:
    return _tells(other, handler) if type(other) is cst.If else _only_tells(other.body, handler)


TELLING = READS | frozenset("cache collect critical debug exception info logging traceback warn warning".split())
"""Words of the functions that tell of an error; those that free memory (`empty_cache`, `gc.collect`) are no other way
to compute anything either."""


@lru_cache(1024)
def steps(tree: Any) -> bool:
    """Return whether a method `step` is called somewhere in a piece of syntax: it trains, and shows no error."""
    return any(type(func) is cst.Attribute and func.attr.value == "step" for func in calls_in(tree))


def calls_in(tree: Any) -> list[Any]:
    """The functions that are called in a piece of syntax, as they are written."""
    return [one.func for one in in_order(tree) if type(one) is cst.Call]


def called_by(node: cst.Try | cst.With) -> Any:
    """The name of the function that the only statement of a `try` or `with` calls, if that is all it does."""
    one = _single(node.body)
    value = getattr(one, "value", None) if type(one) in (cst.Expr, cst.Assign) else None
    return value.func if type(value) is cst.Call else None


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
    statements = [one for line in getattr(body, "body", ()) for one in _small(line)]
    return statements[0] if len(statements) == 1 else None


@lru_cache(4096)
def calls_alone(statement: Any) -> frozenset[Any]:
    """The calls of a statement, if nothing else in it can raise anything; otherwise none."""
    pieces = list(in_order(statement)) if type(statement) is cst.Expr else []
    looked_up = [piece.value for piece in pieces if type(piece) is cst.Attribute]
    if not all(type(piece) in QUIET for piece in pieces) or any(type(one) not in LOOKED_UP for one in looked_up):
        return frozenset()
    return frozenset(piece for piece in pieces if type(piece) is cst.Call)
