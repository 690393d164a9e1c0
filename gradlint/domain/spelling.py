"""Spellings of values in one line, for those who read what is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint.domain.objects import Object
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import (
    Bound,
    Constant,
    Context,
    Function,
    Imported,
    ImportPath,
    PlainObject,
    PythonNumber,
    Value,
)


def spell(thing: Value | Object) -> str:
    """Return the spelling of the facts of a value, or an object."""
    if isinstance(thing, Object):
        return str(thing)
    return " or ".join(_spell(option) for option in alternatives(thing))


def _spell(value: Value) -> str:
    """One alternative."""
    return _WORDS[type(value)](value) if type(value) in _WORDS else type(value).__name__.lower()


_WORDS: dict[type, Callable[[Any], str]] = {
    Constant: lambda value: repr(value.value),
    PythonNumber: lambda value: f"number[{value.dtype}]",
    PlainObject: lambda value: value.kind,
    ImportPath: lambda value: value.path,
    Context: lambda value: value.path,
    Function: lambda value: f"function {value.name}",
    Bound: lambda value: f"method {value.name}",
    Imported: lambda value: f"module {value.module}",
}
