"""A changed copy of a frozen object, as `dataclasses.replace` makes it, several times as fast.

The analysis changes facts all the time, and a frozen class's own `__init__` sets each field the long way round. Here
all fields are read at once and set by the descriptors of their slots.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from itertools import repeat
from operator import attrgetter, call
from typing import Any, TypeVar

T = TypeVar("T")
Setter = Callable[[Any, Any], None]


def replace(thing: T, /, **facts: Any) -> T:
    """The same object (frozen, with slots) but for these fields. Raises KeyError for a field it does not have."""
    cls = type(thing)
    read, setters, by_name = _ways(cls)  # type: ignore[arg-type]
    new = object.__new__(cls)
    any(map(call, setters, repeat(new), read(thing)))  # the shortest loop there is: a setter gives None
    for name, fact in facts.items():
        by_name[name](new, fact)
    return new


@cache
def _ways(cls: type) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[Setter, ...], dict[str, Setter]]:
    """How all fields are read, how they are set in that order, and how each is set."""
    names = [field.name for field in fields(cls)]
    by_name: dict[str, Setter] = {name: getattr(cls, name).__set__ for name in names}
    read = attrgetter(*names, names[0])  # one name alone would not give a tuple
    return read, (*by_name.values(), by_name[names[0]]), by_name
