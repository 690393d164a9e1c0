"""The facts of every event: they hold just before it took effect, so that a rule sees what torch would see."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import fields
from typing import ClassVar

from gradlint.domain import NO, Belief, Object, Syntax, Truth, Value
from gradlint.frozen import frozen

Thing = Value | Object
"""The value in an event: the object itself where it has one, else the value."""


# Two events are never compared, and their classes are a good part of a start: no comparison is made for each.
@frozen(kw_only=True, eq=False)
class Event:
    """Something that happened at `node`.

    `grad_mode` and `inference` are the modes that held. `later` is yes in passes of a loop that stand for its second
    and following iterations. `assumed_mode` says that the grad mode is a guess: the function runs on its own and nobody
    saw its callers, or nobody saw what its decorator does. `belief` is the weakest of what the facts were taken from.
    `expected` says that the program waits for an error here (`with pytest.raises(...)`, or a single statement that is
    tried for a RuntimeError), `swallowed` that such a statement is a step of training, and its handler tells of the
    error and goes on, or `contextlib.suppress` does, `after_error` that a line before has certainly raised; in the
    story of a whole file, that other paths come by here as well. `run` is the index of the innermost function run in
    which it happened. `conditions` are those under which it did, outermost first, those of the callers too: the tests
    of `if` statements, and whether they held. `guards` are the tests that nobody can decide which it took to get there:
    those around it, and those on whose other side the program has gone another way, but not those on whose other side
    it only raises. `loops` are those of its function in which it did, clauses of comprehensions among them, outermost
    first. `file` is the path of the one it happened in (nothing: the linted one), `calls` those that led there from the
    linted file, the one in that first.
    """

    node: Syntax
    grad_mode: Truth
    inference: Truth
    later: Truth = NO
    assumed_mode: bool = False
    belief: Belief = Belief.PROVEN
    expected: bool = False
    swallowed: bool = False
    after_error: bool = False
    run: int = 0
    conditions: tuple[tuple[Syntax, bool], ...] = ()
    guards: Set[tuple[Syntax, bool]] = frozenset()
    loops: tuple[Syntax, ...] = ()
    file: str = ""
    calls: tuple[Syntax, ...] = ()

    depends_on_mode: ClassVar[bool] = False
    """True if what the event says depends on the grad mode; then a guessed mode weakens its belief."""
    believed_from: ClassVar[tuple[str, ...]] = ()
    """The fields whose objects the event's belief is the weakest of."""

    def __repr__(self) -> str:
        told = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self))
        return f"{type(self).__name__}({', '.join(told)})"

    @property
    def key(self) -> str:
        """Return the key that it can be subscribed by; empty for most."""
        return ""
