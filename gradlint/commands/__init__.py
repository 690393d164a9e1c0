"""The commands beside `check`, and what all of them have in common."""

from __future__ import annotations

CLEAN, FOUND, WRONG = 0, 1, 2
"""The exit codes of a command: nothing to report, something found, asked for what cannot be done."""
STDIN = "-"


def counted(number: int, noun: str) -> str:
    """Return a number of a thing, in words."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(values: tuple[str, ...]) -> tuple[str, ...]:
    """The members of comma lists."""
    return tuple(word for value in values for word in map(str.strip, value.split(",")) if word)
