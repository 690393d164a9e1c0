"""A changed copy of a frozen object, as `dataclasses.replace` makes it, several times as fast.

The analysis changes facts all the time. A frozen class's own `__init__` sets each field the long way round; here a
copy is made by a function written once for each class, as dataclasses itself writes `__init__`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")

_COPIERS: dict[type, tuple[Callable[[Any], Any], dict[str, Callable[[Any, Any], None]]]] = {}


def replace(thing: T, **facts: Any) -> T:
    """The same object but for these fields. Raises KeyError for a field that the class does not have."""
    copied, setters = _COPIERS.get(type(thing)) or _prepare(type(thing))
    new = copied(thing)
    for name, fact in facts.items():
        setters[name](new, fact)
    return new  # type: ignore[no-any-return]


def _prepare(cls: type) -> tuple[Callable[[Any], Any], dict[str, Callable[[Any, Any], None]]]:
    """Write the function that copies an object of this class (frozen, with slots) field by field."""
    setters = {field.name: getattr(cls, field.name).__set__ for field in fields(cls)}
    lines = [f"    set_{name}(new, old.{name})" for name in setters]
    names = {"cls": cls, "make": object.__new__, **{f"set_{name}": setter for name, setter in setters.items()}}
    exec("\n".join(["def copied(old):", "    new = make(cls)", *lines, "    return new"]), names)
    _COPIERS[cls] = names["copied"], setters
    return _COPIERS[cls]
