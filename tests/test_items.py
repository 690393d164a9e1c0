"""Values by key are those of a dictionary, few or many, whichever tuples were asked in between."""

from __future__ import annotations

import random

import pytest

from gradlint.domain.items import MANY, Items, item_of, place_of, with_item
from gradlint.domain.values import UNKNOWN, Constant


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("keys", [MANY // 2, MANY + 1, 3 * MANY])
def test_items_are_those_of_a_dictionary(keys: int, seed: int) -> None:
    chosen = random.Random(seed)
    known: list[tuple[Items, dict[object, Constant]]] = [((), {})]
    for number in range(6 * keys):
        items, meant = known[chosen.randrange(max(0, len(known) - 3), len(known))]
        key, value = f"a{chosen.randrange(keys)}", Constant(number)
        assert item_of(items, key, UNKNOWN) == meant.get(key, UNKNOWN)
        known.append((with_item(items, key, value), meant | {key: value}))
    for items, meant in known:
        assert dict(items) == meant and list(dict(items)) == list(meant)
        assert [place_of(items, key) for key in meant] == list(range(len(items)))
        assert place_of(items, "b") is None
