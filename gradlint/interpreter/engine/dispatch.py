"""The tables of the interpreter: what is done with each kind of node and value, and at each import path.

They are empty here. Each file of a room enters what it knows under a decorator when it is loaded, and `driver` loads
them all; so who asks a table needs to import nobody who is in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from gradlint.domain import Instance, Value

if TYPE_CHECKING:
    from gradlint.interpreter.engine.arguments import Arguments
    from gradlint.interpreter.engine.machine import Interpreter

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])
Handler = Callable[["Interpreter", Any], Value]
Step = Callable[["Interpreter", Any], None]
Model = Callable[["Interpreter", Any, "Arguments"], Value]

# ---- by kinds of syntax nodes

EXPRESSIONS: dict[type, Handler] = {}
STATEMENTS: dict[type, Step] = {}


def _entering(table: dict[Any, Any], keys: tuple[Any, ...]) -> Callable[[HandlerT], HandlerT]:
    def register(handler: HandlerT) -> HandlerT:
        table.update(dict.fromkeys(keys, handler))
        return handler

    return register


def evaluates(*nodes: type) -> Callable[[Handler], Handler]:
    """Register how these kinds of expression are evaluated."""
    return _entering(EXPRESSIONS, nodes)


def executes(*nodes: type) -> Callable[[Step], Step]:
    """Register how these kinds of statement are run."""
    return _entering(STATEMENTS, nodes)


# ---- by import paths

MODELS: dict[str, Model] = {}
CALLED: dict[str, Callable[[Interpreter, Any, Instance, Arguments], Value]] = {}
"""What calling an instance of these classes does."""
ITEMS_OF: dict[str, Callable[[Interpreter, Any, Instance, Value], Value]] = {}
"""What `instance[index]` gives for these classes."""
ELEMENTS_OF: dict[str, Callable[[Interpreter, Any, Instance], Value]] = {}
"""What iterating over an instance of these classes gives."""


def models(*paths: str) -> Callable[[Model], Model]:
    """Register what calling something at these import paths does."""
    return _entering(MODELS, paths)
