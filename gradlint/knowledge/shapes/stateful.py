"""Numbers from one to another, step by step: how many there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil, floor

from gradlint.knowledge.shapes.query import Size

STEPPED: dict[str, Callable[[float], int]] = {"arange": ceil, "range": lambda steps: floor(steps) + 1}
"""By the name of a factory: how many numbers it gives, by how many steps (and parts of one) lead to the end."""


def of_steps(factory: str, told: Mapping[str, object]) -> Size | None:
    """The size by `start`, `end` and `step`; a number alone is the end. None where that is not known, or where numbers
    that are not whole are to become some of a kind: this may round them before they are counted."""
    start, end, step = told.get("start", 0), told.get("end"), told.get("step", 1)
    if "end" not in told:
        start, end = 0, told.get("start")
    numbers = [one for one in (start, end, step) if type(one) is int or (type(one) is float and "dtype" not in told)]
    if len(numbers) < len(("start", "end", "step")):
        return None
    first, last, each = numbers
    try:
        return (max(STEPPED[factory]((last - first) / each), 0),)
    except (ArithmeticError, ValueError):  # torch refuses it
        return None
