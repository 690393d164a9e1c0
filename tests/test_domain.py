"""Values follow the objects they mention when those change their references."""

from __future__ import annotations

import pytest

from gradlint.domain import NONE_VALUE, Bound, Function, OneOf, Ref, Super, Unknown, Value, references, renamed

NEWEST, BEFORE, CLASS, OLD_CLASS = (
    Ref(1, "tensor", 0, 0),
    Ref(1, "tensor", 0, 1),
    Ref(2, "class", 0, 0),
    Ref(2, "class", 0, 1),
)
AGED = {NEWEST: BEFORE, CLASS: OLD_CLASS}
WITH_DEFAULT = Function(node=None, name="f", frame=0, defaults=(("x", NEWEST),))


@pytest.mark.parametrize(
    "value",
    [
        NEWEST,
        OneOf((NEWEST, NONE_VALUE)),
        Unknown((NEWEST,)),
        WITH_DEFAULT,
        Bound(NEWEST, "step"),
        Bound(CLASS, "f", WITH_DEFAULT),
        Super(NEWEST, CLASS),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_reference_ages(value: Value) -> None:
    before = references(value)
    assert before
    assert references(renamed(value, AGED)) == tuple(AGED[ref] for ref in before)
