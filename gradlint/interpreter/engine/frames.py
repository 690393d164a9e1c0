"""Scopes at run time, each with the ways on which it may be left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import libcst as cst

from gradlint.domain.facts import Truth
from gradlint.domain.refs import Origin, Syntax
from gradlint.domain.state import State, joined_states
from gradlint.domain.values import Context, Function, Value
from gradlint.frozen import frozen
from gradlint.interpreter.static.scopes import Scope
from gradlint.interpreter.static.sites import Site, syntax

if TYPE_CHECKING:
    from gradlint.interpreter.engine.deferred import Suspended

RESULT = "return"
"""The name under which a frame keeps what it returns; no variable can be called so."""


@dataclass(slots=True)
class LoopPaths:
    """The states in which the innermost loop is left: by its end, by break, by continue; `conditions` are those under
    which it runs. `node` is the loop, `head` the state in which the iteration that runs began: noted of later ones, as
    soon as a backward has kept its graph. `listed` says between which places of the operand stack its elements are, of
    a loop that is run element by element, and `rounds` are its rounds so far; `around` is the outer loop."""

    node: Site
    head: State | None = None
    exits: list[State] = field(default_factory=list)
    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)
    conditions: tuple[tuple[Any, bool], ...] = ()
    listed: tuple[int, int] | None = None
    rounds: list[int] = field(default_factory=list)
    around: LoopPaths | None = None


@frozen()
class Tried:
    """Something around that finds the state if an error is raised: the state in which one may have been `raised`, and
    one that is `waiting` to be let in because something may be raised behind it, but not yet."""

    raised: State | None = None
    waiting: State | None = None


@dataclass(slots=True, eq=False)
class File:
    """A file at run time: its dotted name, whether it is the `__init__` of a package, the number of its frame, and its
    path (nothing for the linted file).

    `foreign` is 1 for others than the linted file, `tree` its syntax. `names` are what importing such a file left; what
    is set later, from a function or another file, is in the state.
    """

    name: str = ""
    package: bool = False
    foreign: int = 0
    frame: int = 0
    path: str = ""
    tree: cst.Module | None = None
    names: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True)
class Frame:
    """A scope at run time: the module, a function called from one place, a class body.

    `made` are the origins of what was made under it, whenever it ran; `switches` are the managers of the blocks around
    that set the grad mode (None: one of several); `around` runs the block around which a context manager written as a
    generator stands; `followed` is what is noted of a generator while it is followed, `suspended` is the state in
    which it last waited, `called_at` is where it was called,
    `waits` whether it did so with gradients on, with gradients off and in inference mode because
    a block of its own had set that.
    """

    id: int
    parent: Frame | None
    scope: Scope
    file: File
    function: Function | None = None
    owner: Value | None = None
    declared: dict[str, Frame] = field(default_factory=dict)
    returns: list[State] = field(default_factory=list)
    loop: LoopPaths | None = None
    tries: list[Tried] = field(default_factory=list)
    caller: Frame | None = None
    made: set[Origin] = field(default_factory=set)
    switches: tuple[Context | None, ...] = ()
    around: Callable[[Value], None] | None = None
    followed: Suspended | None = None
    suspended: State | None = None
    waits: tuple[Truth, Truth, Truth] | None = None
    called_at: Any = None

    def pending(self) -> list[list[State]]:
        """The lists of states that left the normal path and have not been dealt with."""
        loop = [self.loop.exits, self.loop.breaks, self.loop.continues] if self.loop else []
        return [self.returns, *loop]

    def loops(self) -> tuple[Syntax, ...]:
        """The loops that run in it, outermost first."""
        found: list[Syntax] = []
        loop = self.loop
        while loop is not None:
            found.append(syntax(loop.node))
            loop = loop.around
        return tuple(reversed(found))

    def calls(self) -> tuple[Syntax, ...]:
        """The calls that led from the linted file to another one, that in the linted file first; none where not
        known."""
        found: list[Syntax] = []
        frame: Frame | None = self
        while frame is not None and frame.file.foreign:
            if frame.called_at is not None:
                found.append(frame.called_at)
            frame = frame.caller
        return () if frame is None else tuple(reversed(found))

    def record_exception_state(self, now: State, *, certainly: bool = False) -> None:
        """An exception may be raised here, or certainly is: let the innermost handler know the state."""
        if (waiting := self.tries[-1].waiting) is not None:
            self.add_exception_edge(waiting)
        self.add_exception_edge(now, certainly=certainly)

    def add_exception_edge(self, now: State, *, certainly: bool = False) -> None:
        """The innermost handler may find this state."""
        here, seen, explained = now, self.tries[-1].raised, certainly and not now.unexplained_edge
        if seen is None or now.refused:
            now = now.copy()
            now.refused = now.refused and (seen is None or seen.refused)
        found = now if seen is None else joined_states([seen, now])
        found = found.copy() if found is here else found
        found.unexplained_edge = not explained and (seen is None or seen.unexplained_edge)
        self.tries[-1] = Tried(found)
