"""Sets of values: the alternatives that a value may be, and what all of them refer to."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import chain
from operator import or_

from gradlint.domain.facts import BOOL, COMPLEX, FLOAT, INTEGER, UNSURE, Dtypes, Truth, truth
from gradlint.domain.provenance import MOST_CAUSES, Cause
from gradlint.domain.refs import Ref
from gradlint.domain.values import (
    NOTHING,
    UNKNOWN,
    Bound,
    Constant,
    Function,
    OneOf,
    PlainObject,
    PythonNumber,
    Super,
    Unknown,
    Value,
)
from gradlint.frozen import replace

MOST_ALTERNATIVES = 5
MOST_CERTAIN = 1_000
FEW_COMPARED = 16
FEW_REACHED = 64
"""The longest reach of which no index of positions is kept."""


NUMBER_KINDS: dict[type, Dtypes] = {bool: BOOL, int: INTEGER, float: FLOAT, complex: COMPLEX}


def alternatives(value: Value) -> tuple[Value, ...]:
    """The values of which one holds."""
    return value.values if type(value) is OneOf else (value,)


def one_of(values: Iterable[Value], most: int = MOST_ALTERNATIVES) -> Value:
    """The value that may be any of these: Unknown if one of them is, or if they are more than `most`.

    What was allowed to have more alternatives keeps them.
    """
    values = tuple(values)
    if len(values) == 1 and type(values[0]) is not OneOf:
        return values[0]
    most = max([most, *(len(value.values) for value in values if type(value) is OneOf)])
    found = _different([option for value in values for option in alternatives(value) if option != NOTHING])
    if len(found) > 1:
        found = _told_once(found)
    if len(found) == 1:
        return found[0]
    if not found:
        return NOTHING if values else UNKNOWN
    if len(found) > most or any(type(option) is Unknown for option in found):
        if len(numbers := [k for v in found if (k := number_kind(v)) is not None]) == len(found):
            kind = numbers[0]
            for other in numbers:
                kind = kind | other
            return PythonNumber(kind, cuts_of_numbers(found), row=may_be_row(found))
        return STRING if all(map(_is_string, found)) else _anything(found)
    return OneOf(tuple(found))


STRING = PlainObject("str")


def _is_string(value: Value) -> bool:
    return value == STRING or (type(value) is Constant and isinstance(value.value, str))


def _anything(values: list[Value]) -> Unknown:
    """The unknown value that reaches what these mention.

    What is collected piece by piece (elements of a list, what a generator yields) would be gone over anew for each
    piece: the values that grow out of each other share one index of what they reach, of which each has a beginning.
    """
    first, *others = values
    count = len(references(first))
    if not isinstance(first, Unknown) or count < FEW_REACHED or len(index := _index_of(first)) < count:
        return Unknown(tuple(dict.fromkeys(chain.from_iterable(map(references, values)))))
    more = [ref for value in others for ref in references(value) if index.get(ref, count) >= count]
    if not more:
        return first
    if len(index) > count:  # another value grew out of this one
        index = dict(zip(references(first), range(count), strict=True))
    for ref in more:
        index.setdefault(ref, len(index))
    grown = Unknown((*references(first), *dict.fromkeys(more)))
    object.__setattr__(grown, "_index", index)
    return grown


def _index_of(value: Unknown) -> dict[Ref, int]:
    """Return the positions of a value's reach in it; those behind its end belong to a value that grew from it."""
    try:
        return value._index
    except AttributeError:
        index = {ref: place for place, ref in enumerate(value.reach)}
        object.__setattr__(value, "_index", index)
        return index


def with_certain(certain: Iterable[Ref], values: Iterable[Value]) -> tuple[Ref, ...]:
    """Return the certain references besides when these values are added: those of one object, not one or another. Of
    very many no more are noted, for all are gone over for each."""
    known = tuple(certain)
    if len(known) >= MOST_CERTAIN:
        return known
    return tuple(dict.fromkeys([*known, *(value for value in values if type(value) is Ref)]))


def _different(values: list[Value]) -> list[Value]:
    """Values, each once, in their order; few are compared with each other, which is quicker than to hash them."""
    if len(values) > FEW_COMPARED:
        return [*dict.fromkeys(values)]
    found: list[Value] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


def cuts_of_numbers(values: Iterable[Value]) -> tuple[Cause, ...]:
    """Return the cuts by which tensors became the numbers among these values."""
    options = (option for value in values for option in alternatives(value))
    found = {mark: None for option in options if type(option) is PythonNumber for mark in option.cuts}
    return tuple(found)[:MOST_CAUSES]


def truth_of(value: Value) -> Truth:
    """Return whether a value counts as true, as far as that is known of constants."""
    options = alternatives(value)
    return reduce(or_, [truth(bool(one.value)) if type(one) is Constant else UNSURE for one in options])


def _told_once(values: list[Value]) -> list[Value]:
    """Numbers of one kind that differ only in where they come from are one alternative, and so are a text that nobody
    knows and those that are known."""
    if STRING in values:
        values = [value for value in values if value == STRING or not _is_string(value)]
    kinds: dict[Dtypes, list[Value]] = {}
    for value in values:
        if type(value) is PythonNumber:
            kinds.setdefault(value.dtype, []).append(value)
    if all(len(same) == 1 for same in kinds.values()):
        return values
    merged = {kind: PythonNumber(kind, cuts_of_numbers(same), row=may_be_row(same)) for kind, same in kinds.items()}
    return list(dict.fromkeys(merged[value.dtype] if type(value) is PythonNumber else value for value in values))


def may_be_row(values: Iterable[Value]) -> bool:
    """Return whether one of these numbers may be a row of some."""
    options = (option for value in values for option in alternatives(value))
    return any(type(option) is PythonNumber and option.row for option in options)


def number_kind(value: Value) -> Dtypes | None:
    """The kind of a Python number; None for everything else."""
    if type(value) is PythonNumber:
        return value.dtype
    if type(value) is Constant:
        return NUMBER_KINDS.get(type(value.value))
    return None


def key_of(value: Value) -> object | None:
    """The constant key or index that a value is; None where it is not one constant."""
    if type(value) is Constant and isinstance(value.value, (str, int, float, bool, bytes, tuple)):
        return value.value
    return None


def references(value: Value) -> tuple[Ref, ...]:
    """The heap objects that a value mentions itself."""
    if type(value) is Ref:
        return (value,)
    if type(value) is Unknown:
        return value.reach
    if type(value) is OneOf:
        return tuple(ref for option in value.values for ref in references(option))
    if type(value) is Bound:
        return (
            references(value.owner) if value.function is None else references(value.owner) + references(value.function)
        )
    if type(value) is Super:
        return (*references(value.owner), value.cls)
    if type(value) is Function:
        return tuple(ref for _, default in value.defaults for ref in references(default))
    return ()


def renamed(value: Value, now: dict[Ref, Ref]) -> Value:
    """The same value after objects have changed their references."""
    if type(value) is Ref:
        return now.get(value, value)
    if type(value) is OneOf:
        options = [renamed(option, now) for option in value.values]
        return one_of(options, max(MOST_ALTERNATIVES, len(options)))
    if type(value) is Bound:
        function = _function_renamed(value.function, now) if type(value.function) is Function else value.function
        return Bound(renamed(value.owner, now), value.name, function)
    if type(value) is Super:
        return Super(renamed(value.owner, now), now.get(value.cls, value.cls))
    if type(value) is Function:
        return _function_renamed(value, now)
    if type(value) is Unknown and value.reach:
        return Unknown(tuple(dict.fromkeys(now.get(ref, ref) for ref in value.reach)))
    return value


def _function_renamed(function: Function, now: dict[Ref, Ref]) -> Function:
    """A function keeps the objects that its defaults were when it was defined."""
    if not function.defaults:
        return function
    return replace(function, defaults=tuple((name, renamed(default, now)) for name, default in function.defaults))
