"""Strings that are put together: a name made by `f"block{i}"` begins with what was written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gradlint.domain.values import Constant, PlainObject, Value

LONGEST = 200
MOST_BITS = 64
"""The most bits of a number that is written out: Python refuses to write those of thousands of digits."""
_ESCAPED = re.compile(r"[\\{}]")
HOLES = {"mod": "%", "format": "{"}
"""The beginnings of the parts to be filled in, by the operator or method that fills them."""


def beginning(value: Value) -> str:
    """Return the beginning of a string, as far as that is known."""
    if type(value) is Constant:
        return value.value if isinstance(value.value, str) else ""
    return value.start if type(value) is PlainObject else ""


def joined_text(pieces: Iterable[Value]) -> Value:
    """The pieces one behind the other: a constant where all are, else a string of which the beginning is known."""
    start = ""
    for piece in pieces:
        start += beginning(piece)
        if type(piece) is not Constant or not isinstance(piece.value, str) or len(start) > LONGEST:
            return PlainObject("str", start[:LONGEST])
    return Constant(start)


def literal_text(written: str) -> Value:
    """The text between the holes of an f-string, up to what is escaped."""
    known = _ESCAPED.split(written)[0]
    return Constant(written) if known == written else PlainObject("str", known)


def inserted_text(value: Value, *, plain: bool) -> Value:
    """Return the text of a value in an f-string: where it is `plain`, that of a short integer or a string."""
    known = value.value if plain and type(value) is Constant else None
    if type(known) is str or (type(known) is int and known.bit_length() <= MOST_BITS):
        return Constant(str(known))
    return PlainObject("str")


def filled_text(pattern: Value, how: str) -> Value:
    """Return the result of `pattern % x` (`how` "mod") or `pattern.format(x)` (`how` "format")."""
    return PlainObject("str", beginning(pattern).partition(HOLES[how])[0])


def combined_text(operator: str, values: list[Value]) -> Value:
    """Return the result of an operator whose operands are strings and numbers."""
    if operator == "add":
        return PlainObject("str", beginning(values[0])) if type(values[0]) is not Constant else joined_text(values)
    return filled_text(values[0], operator) if operator in HOLES else PlainObject("str")
