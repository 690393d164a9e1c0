"""The items of an object by their keys, where one has thousands of them: a class may set an attribute a line.

Items are tuples, which objects share and nothing changes. The place of a key is found by looking at one after the
other, or, where there are many, in an index of the tuple that was asked last: a long class asks the same one for each
attribute that it reads, and the items with one more take the index over.
"""

from __future__ import annotations

from gradlint.domain.values import Value

Items = tuple[tuple[object, Value], ...]
"""Values by constant key, in order of insertion."""
MANY = 64
"""Of more items an index is made: for fewer, looking at each is quicker."""


class _Asked:
    """The many items that were asked last, with the place of each key in them: both at once, whoever else asks."""

    def __init__(self) -> None:
        self.last: tuple[Items, dict[object, int]] = ((), {})


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
    known, places = _ASKED.last
    if place is None:
        more = (*items, (key, value))
        if items is known and len(items) > MANY:
            _ASKED.last = more, places
            places[key] = len(items)
        return more
    more = (*items[:place], (key, value), *items[place + 1 :])
    if items is known and len(items) > MANY:
        _ASKED.last = more, places
    return more


def _index(items: Items) -> dict[object, int]:
    known, places = _ASKED.last
    if items is not known:
        places = {key: place for place, (key, _) in reversed(list(enumerate(items)))}
        _ASKED.last = items, places
    return places
