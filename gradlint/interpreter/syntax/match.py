"""Patterns of `match`: whether they match what is known of a subject, and what the names in them are bound to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from operator import or_
from typing import Any

import libcst as cst

from gradlint.domain.facts import NO, YES, Truth, both, either, truth
from gradlint.domain.objects import MAPPINGS, Class, Container, Instance
from gradlint.domain.state import State
from gradlint.domain.value_sets import alternatives, key_of
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, ImportPath, PlainObject, PythonNumber, Unknown, Value
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.iteration import SEQUENCES, element_list, elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.attribute_load import get_attribute
from gradlint.interpreter.python.comparison import equal
from gradlint.interpreter.python.isinstance_checks import is_instance

UNSURE = Truth.unsure()


def matches(m: Interpreter, pattern: Any, subject: Value) -> Truth:
    """Return whether a pattern matches; the state goes on from where it does, with the names in it bound."""
    options = alternatives(subject)
    if len(options) == 1 or type(pattern) is cst.MatchAs:
        return PATTERNS[type(pattern)](m, pattern, subject)
    before, after, verdicts = m.state, list[State](), list[Truth]()
    for option in options:
        m.state = before.copy()
        verdicts.append(PATTERNS[type(pattern)](m, pattern, option))
        if verdicts[-1] is not NO:
            after.append(m.state)
    m.state = before
    if after:
        m.join(after)
    return reduce(or_, verdicts)


def _all(m: Interpreter, pairs: Iterable[tuple[Any, Value]]) -> Truth:
    """Return whether several patterns match each its own subject."""
    out = YES
    for pattern, value in pairs:
        out = both(out, matches(m, pattern, value))
    return out


def _as(m: Interpreter, pattern: cst.MatchAs, subject: Value) -> Truth:
    verdict = YES if pattern.pattern is None else matches(m, pattern.pattern, subject)
    if pattern.name is not None:
        variables.bind(m, pattern.name.value, subject)
    return verdict


def _singleton(m: Interpreter, pattern: cst.MatchSingleton, subject: Value) -> Truth:
    if type(subject) is Constant:
        return truth(subject == Constant({"None": None, "True": True, "False": False}[pattern.value.value]))
    return (
        NO
        if pattern.value.value == "None" and type(subject) in (PythonNumber, PlainObject)
        else _if_guessed(m, subject)
    )


def _if_guessed(m: Interpreter, subject: Value) -> Truth:
    """Return unsure where nothing shows what kind of thing the subject is, else no."""
    thing = m.thing(subject)
    guessed = type(thing) in (Unknown, PythonNumber, PlainObject, ImportPath) or (
        type(thing) is Instance and thing.cls == UNKNOWN
    )
    return UNSURE if guessed else NO


def _sequence(m: Interpreter, pattern: Any, subject: Value) -> Truth:
    thing = m.thing(subject)
    parts = [getattr(part, "value", None) for part in pattern.patterns]
    star = next((index for index, part in enumerate(pattern.patterns) if isinstance(part, cst.MatchStar)), None)
    if type(thing) is not Container or thing.kind not in SEQUENCES:
        _all(m, [(part, UNKNOWN) for part in parts if part is not None])
        return _if_guessed(m, subject)
    known = element_list(m, subject)
    if known is None or (len(known) != len(parts) if star is None else len(known) < len(parts) - 1):
        element = elements(m, pattern, subject)
        _bind_star(m, pattern, star, Container("list", rest=element))
        inner = _all(m, [(part, element) for part in parts if part is not None])
        return NO if known is not None else both(UNSURE, inner)
    if star is not None:
        behind = len(known) - (len(parts) - 1 - star)
        _bind_star(m, pattern, star, Container("list", items=tuple(enumerate(known[star:behind]))))
        known[star:behind] = [NOTHING]
    return _all(m, [(part, value) for part, value in zip(parts, known, strict=True) if part is not None])


def _bind_star(m: Interpreter, pattern: Any, star: int | None, rest: Container) -> None:
    part = pattern.patterns[star] if star is not None else None
    if isinstance(part, cst.MatchStar) and part.name is not None:
        variables.bind(m, part.name.value, m.new(part, "starred", rest))


def _mapping(m: Interpreter, pattern: cst.MatchMapping, subject: Value) -> Truth:
    thing = m.thing(subject)
    if type(thing) is not Container or thing.kind not in MAPPINGS:
        _all(m, [(entry.pattern, UNKNOWN) for entry in pattern.elements])
        _bind_rest(m, pattern, Container("dict", rest=UNKNOWN))
        return _if_guessed(m, subject)
    left, out = dict(thing.items), YES
    for entry in pattern.elements:
        key = key_of(m.value(entry.key))
        there = YES if key in left else NO if thing.rest == NOTHING and key is not None else UNSURE
        found = left.pop(key, UNKNOWN if thing.rest == NOTHING else thing.rest)
        out = both(out, both(there, matches(m, entry.pattern, found)))
    _bind_rest(m, pattern, Container("dict", items=tuple(left.items()), rest=thing.rest, keys=thing.keys))
    return out


def _bind_rest(m: Interpreter, pattern: cst.MatchMapping, rest: Container) -> None:
    if pattern.rest is not None:
        variables.bind(m, pattern.rest.value, m.new(pattern, "rest", rest))


def _class(m: Interpreter, pattern: cst.MatchClass, subject: Value) -> Truth:
    cls = m.value(pattern.cls)
    verdict = is_instance(m, subject, cls)
    if verdict is NO:
        return NO
    inner = _all(m, _attributes(m, pattern, cls, subject))
    return both(verdict, inner)


def _attributes(m: Interpreter, pattern: cst.MatchClass, cls: Value, subject: Value) -> Iterable[tuple[Any, Value]]:
    """The patterns inside the parentheses with what they look at."""
    thing = m.thing(cls)
    names = [str(name) for name, _ in thing.fields] if type(thing) is Class else []
    for index, part in enumerate(pattern.patterns):
        named = names[index] if index < len(names) else None
        yield part.value, UNKNOWN if named is None else get_attribute(m, part, subject, named, "")
    for keyword in pattern.kwds:
        yield keyword.pattern, get_attribute(m, keyword, subject, keyword.key.value, "")


PATTERNS: dict[type, Callable[[Interpreter, Any, Value], Truth]] = {
    cst.MatchAs: _as,
    cst.MatchOr: lambda m, pattern, subject: either([matches(m, one.pattern, subject) for one in pattern.patterns]),
    cst.MatchValue: lambda m, pattern, subject: equal(m, subject, m.value(pattern.value)),
    cst.MatchSingleton: _singleton,
    cst.MatchList: _sequence,
    cst.MatchTuple: _sequence,
    cst.MatchMapping: _mapping,
    cst.MatchClass: _class,
}
