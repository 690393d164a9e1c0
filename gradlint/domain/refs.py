"""References: names of what is made while a program runs, and of its graph nodes, by where they are made."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

Syntax = Any
"""A handle on a piece of the program's text: compared and passed on, never looked into."""

Graph = tuple[int, str, int]
"""The name of a graph node whatever its age: its site, part and context."""


class Escape(IntEnum):
    """The escape of a value into code that is not followed: a library only reads it, or code does so by its name alone;
    code that nobody sees most likely leaves flags and gradients alone, which is believed, not known; what holds it
    otherwise may do anything, and computes gradients if that is what its name says."""

    READ = 0
    READ_BY_NAME = 1
    UNSEEN = 2
    HELD = 3
    DIFFERENTIATED = 4


Origin = int
"""A site in a context, as one number (used so often that a pair would be dear)."""

CONTEXT_BITS = 24


class Ref(NamedTuple):
    """An object on the heap.

    `site` is the place in the program that makes it and `part` which of the objects made there;
    `context` is the chain of calls it was made under. `recency` tells the objects of one site apart:
    0 the newest, 1 the one before, 2 all older ones together.
    """

    site: int
    part: str
    context: int
    recency: int = 0

    @property
    def origin(self) -> Origin:
        """The site and context it was made at, as one number."""
        return self[0] << CONTEXT_BITS | self[2]

    @property
    def key(self) -> Graph:
        """The object's place of making, whatever its age."""
        return self[:3]


Alternatives = tuple[Ref | None, ...]
"""One part of what something refers to: its alternatives, of which one holds; None among them: or nothing."""

OPAQUE = Ref(-1, "opaque", 0)
"""A graph node of which nothing is known: backward through it may reach all that escaped."""
ASTRAY = Ref(-4, "astray", 0)
"""Beside `OPAQUE`: that graph may be one that the program shows and that was lost sight of, so that it may lead to
anything."""
KEPT = Ref(-2, "kept", 0)
"""Memory inside a summarised call that the graph saved and nothing outside can write."""
NOWHERE = Ref(-3, "nowhere", 0)
"""Among the alternatives of an operand: an operation that was recorded may hand no gradient on to it."""
APART = Ref(-5, "apart", 0)
"""Among what code that is not followed has made something of, and the alternatives of an operand: the text of that code
takes what it gives out of the graph, on some way at least."""
