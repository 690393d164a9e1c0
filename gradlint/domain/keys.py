"""The part of an object in the key of a call, as its fields declare it (`gradlint.domain.objects`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field
from operator import attrgetter
from typing import Any

from gradlint.domain.fields import Declaration, Join, Key, PerClass, declarations
from gradlint.domain.objects import REFERENCE
from gradlint.domain.refs import Alternatives
from gradlint.domain.values import Value
from gradlint.frozen import frozen

Reading = Callable[[Any], tuple[Any, ...]]


@frozen()
class InKey:
    """The readers of the fields that a class declares. Each of the first three reads all fields of that kind at once;
    `joins` says how each field that is `described` joins, and `empty` is what they hold where they mention nothing."""

    itself: Reading
    numbered: Callable[[Any], tuple[Alternatives, ...]]
    described: Reading
    joins: tuple[Join, ...]
    empty: tuple[Any, ...]


def in_key(cls: type) -> InKey | None:
    """Return the readers of the fields of a class that are in a key; None: their references."""
    if getattr(cls, "key", "") == REFERENCE:
        return None
    kinds: dict[Key, list[tuple[Field[Any], Declaration]]] = {kind: [] for kind in Key}
    for one, says in declarations(cls):
        kinds[says.key].append((one, says))
    described = kinds[Key.DESCRIBED]
    itself, numbered, told = (_reading([one.name for one, _ in found]) for found in kinds.values())
    joins = tuple([says.join for _, says in described])
    return InKey(itself, numbered, told, joins, tuple([one.default for one, _ in described]))


def _reading(names: Sequence[str]) -> Reading:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: tuple([getattr(thing, name) for name in names])


IN_KEY = PerClass(in_key)


def mentioned(join: Join, content: Any) -> tuple[object, Sequence[Value | None]]:
    """The values in a field that joins like this, and what else there is in it."""
    if join is Join.VALUE:
        return None, (content,)
    if join is Join.ITEMS:
        return tuple([key for key, _ in content]), [value for _, value in content]
    if join is Join.PARTS:
        return tuple(map(len, content)), [ref for part in content for ref in part]
    return len(content), content
