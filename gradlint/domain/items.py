"""The items of an object by their keys, where one has thousands of them: a class may set an attribute a line.

Items are tuples, which objects share and nothing changes. The place of a key is found by looking at one after the
other, or, where there are many, in an index of the tuple that was asked last: a long class asks the same one for each
attribute that it reads, and the items with one more take the index over.
"""

from __future__ import annotations

from threading import local

from gradlint.domain.values import Value

Items = tuple[tuple[object, Value], ...]
"""Values by constant key, in order of insertion."""
MANY = 64
"""Of more items an index is made: for fewer, looking at each is quicker."""


class _Asked(local):
    """The many items that were asked last in this thread, and the place of each key in them."""

    def __init__(self) -> None:
        self.items: Items = ()
        self.places: dict[object, int] = {}


_ASKED = _Asked()


def place_of(items: Items, key: object) -> int | None:
    """Return the index of the item of a key, or None if there is none."""
    if len(items) > MANY:
        return _index(items).get(key)
    for index, (known, _) in enumerate(items):
        if known == key:
            return index
    return None


def item_of(items: Items, key: object, otherwise: Value) -> Value:
    """Return the value of a key, or another if it has none."""
    place = place_of(items, key)
    return otherwise if place is None else items[place][1]


def with_item(items: Items, key: object, value: Value) -> Items:
    """Return the items with this one, in the place of one of the same key if there is one."""
    place = place_of(items, key)
    if place is None:
        more = (*items, (key, value))
        if items is _ASKED.items and len(items) > MANY:
            _ASKED.items, _ASKED.places[key] = more, len(items)
        return more
    more = (*items[:place], (key, value), *items[place + 1 :])
    if items is _ASKED.items and len(items) > MANY:
        _ASKED.items = more
    return more


def _index(items: Items) -> dict[object, int]:
    if items is not _ASKED.items:
        _ASKED.items, _ASKED.places = items, {key: place for place, (key, _) in reversed(list(enumerate(items)))}
    return _ASKED.places
