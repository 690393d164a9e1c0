"""What of an object is in the key of a call, as its fields declare it (`gradlint.domain.objects`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any, get_args

from gradlint.domain.objects import REFERENCE, Object
from gradlint.domain.values import Slot, Value
from gradlint.frozen import frozen

Reading = Callable[[Any], tuple[Any, ...]]


@frozen()
class Declared:
    """What the fields of a class declare. Each of the first three reads all fields of that kind at once; `joins` says
    how each field that is `described` joins, and `empty` is what they hold where they mention nothing."""

    itself: Reading
    numbered: Callable[[Any], tuple[Slot, ...]]
    described: Reading
    joins: tuple[str, ...]
    empty: tuple[Any, ...]


def declared(cls: type) -> Declared | None:
    """What of the objects of a class is in a key; None: their references. Raises TypeError for a field that does not
    declare it."""
    if getattr(cls, "key", "") == REFERENCE:
        return None
    kinds: dict[str, list[Any]] = {"itself": [], "numbered": [], "described": []}
    for one in fields(cls):
        if (kind := one.metadata.get("key")) not in kinds:
            raise TypeError(f"`{cls.__name__}.{one.name}` does not declare what of it is in the key of a call (`key`)")
        kinds[kind].append(one)
    itself, numbered, described = (_reading([one.name for one in found]) for found in kinds.values())
    joins = tuple([one.metadata["join"] for one in kinds["described"]])
    return Declared(itself, numbered, described, joins, tuple([one.default for one in kinds["described"]]))


def _reading(names: Sequence[str]) -> Reading:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: tuple([getattr(thing, name) for name in names])


DECLARED = {cls: found for cls in get_args(Object) if (found := declared(cls)) is not None}


def mentioned(join: str, content: Any) -> tuple[object, Sequence[Value | None]]:
    """The values in a field that joins like this, and what else there is in it."""
    if join == "value":
        return None, (content,)
    if join == "items":
        return tuple([key for key, _ in content]), [value for _, value in content]
    return len(content), content
