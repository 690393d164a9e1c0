"""Comparisons: which constants and which members of enumerations are equal, are one object, or are among others."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_

from gradlint.domain.facts import NO, UNSURE, YES, Truth, both, either, truth
from gradlint.domain.objects import MAPPINGS, Container
from gradlint.domain.refs import Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.value_sets import alternatives, key_of
from gradlint.domain.values import NOTHING, Constant, ImportPath, Value
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.enums import member_of, value_of
from gradlint.interpreter.python.mro import ancestry, find_method

SINGLE = (type(None), bool, type(...))
"""Types of which each value is there once."""
PLAIN_ENUMS = frozenset({"enum.Enum", "enum.Flag"})
"""Enumerations whose members equal nothing but themselves."""


def equal(m: Interpreter, left: Value, right: Value) -> Truth:
    """Return whether `left == right`, of constants and of members of enumerations."""
    return _of_each(left, right, lambda a, b: _equal(m, a, b))


def identical(m: Interpreter, left: Value, right: Value) -> Truth:
    """Return whether `left is right`, of what is there once: None, truth values, members of enumerations."""
    return _of_each(left, right, lambda a, b: _identical(m, a, b))


def among(m: Interpreter, value: Value, others: Value) -> Truth:
    """Return whether `value in others`, of constants and members of enumerations in what holds such."""
    return _of_each(value, others, lambda one, whole: _among(m, one, whole))


def _of_each(left: Value, right: Value, ask: Callable[[Value, Value], Truth]) -> Truth:
    """The answer for each pair of alternatives, joined."""
    return reduce(or_, [ask(a, b) for a in alternatives(left) for b in alternatives(right)])


def _equal(m: Interpreter, left: Value, right: Value) -> Truth:
    if type(left) is Constant and type(right) is Constant:
        return truth(left.value == right.value)
    for member, other in ((left, right), (right, left)):
        if (cls := member_of(m, member)) is not None:
            return _equals_member(m, cls, member, other)
    ours, theirs = _listed(m, left), _listed(m, right)
    if ours is None or theirs is None:
        return NO if (ours or theirs) and (_is_single(left) or _is_single(right)) else UNSURE
    if ours[0] != theirs[0] or len(ours[1]) != len(theirs[1]):
        return NO
    return reduce(both, [equal(m, a, b) for a, b in zip(ours[1], theirs[1], strict=True)], YES)


def _is_single(value: Value) -> bool:
    """Return whether a constant has no elements that are constants themselves."""
    return type(value) is Constant and type(value.value) is not tuple


def _equals_member(m: Interpreter, cls: Ref, member: Value, other: Value) -> Truth:
    """A member that is a number or a string besides equals what its value equals."""
    if find_method(m, cls, "__eq__") is not None:
        return UNSURE
    theirs = member_of(m, other)
    if _are_plain(m, cls) or (theirs is not None and _are_plain(m, theirs)):
        return _identical(m, member, other)
    return equal(m, value_of(m, member), other if theirs is None else value_of(m, other))


def _listed(m: Interpreter, value: Value) -> tuple[str, list[Value]] | None:
    """The kind and the elements of a list or tuple that is known."""
    thing = m.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is not Container or thing.kind not in ("list", "tuple") or thing.cls != NOTHING:
        return None
    return (thing.kind, [inner for _, inner in thing.items]) if thing.rest == NOTHING else None


def _identical(m: Interpreter, left: Value, right: Value) -> Truth:
    if (
        type(left) is Constant
        and type(right) is Constant
        and (type(left.value) in SINGLE or type(right.value) in SINGLE)
    ):
        return truth(left == right)
    ours, theirs = member_of(m, left), member_of(m, right)
    if type(left) is Constant or type(right) is Constant:
        return UNSURE if ours is None and theirs is None else NO
    if ours is None or theirs is None:
        return UNSURE
    if left == right:
        return YES if type(left) is Ref and left.recency < OLDEST else UNSURE
    return NO if ours != theirs or equal(m, value_of(m, left), value_of(m, right)) is NO else UNSURE


def _are_plain(m: Interpreter, cls: Ref) -> bool:
    """Return whether members are nothing besides, neither numbers nor strings."""
    return all(
        type(base) is Ref or (type(base) is ImportPath and base.path in PLAIN_ENUMS) for base in ancestry(m, cls)
    )


def _among(m: Interpreter, value: Value, whole: Value) -> Truth:
    if type(whole) is Constant and type(value) is Constant:
        if isinstance(value.value, str) and isinstance(whole.value, str):
            return truth(value.value in whole.value)
        return UNSURE
    thing = m.only(whole, Container)
    if thing is None or not _can_be_asked(m, value):
        return UNSURE
    held = [Constant(key) for key, _ in thing.items] if thing.kind in MAPPINGS else [inner for _, inner in thing.items]
    found = either([equal(m, value, one) for one in held]) if held else NO
    return found if found is YES or thing.rest == NOTHING else UNSURE


def _can_be_asked(m: Interpreter, value: Value) -> bool:
    return key_of(value) is not None or member_of(m, value) is not None
