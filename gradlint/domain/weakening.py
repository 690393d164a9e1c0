"""Weakening: what is still known of an object once others may have changed it, as its fields declare."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, TypeVar

from gradlint.domain.facts import YES
from gradlint.domain.fields import After, Aspect, Declaration, PerClass, declarations
from gradlint.domain.joining import thinned
from gradlint.domain.mentions import object_references
from gradlint.domain.objects import Container, Object
from gradlint.domain.values import Unknown
from gradlint.frozen import replace

ObjectT = TypeVar("ObjectT", bound=Object)
Weaken = Callable[[Any, Object], Any]
"""The rest of a field, computed of what it held and of its object."""


def _unsure(default: Any) -> Weaken:
    unsure = type(default).unsure()
    return lambda known, thing: known | unsure


def _one_way(default: Any) -> Weaken:
    unsure = type(default).unsure()
    return lambda known, thing: known if known is YES else known | unsure


_LEFT: dict[After, Callable[[Any], Weaken]] = {
    After.UNSURE: _unsure,
    After.ONE_WAY: _one_way,
    After.FORGOTTEN: lambda default: lambda known, thing: default,
    After.REACHED: lambda default: lambda known, thing: Unknown(object_references(thing)),
}
"""The weakenings, by what a field declares, and its default."""


def _changing(after: Callable[[Declaration], After]) -> Callable[[type], dict[str, Weaken]]:
    return lambda cls: {
        one.name: _LEFT[after(says)](one.default) for one, says in declarations(cls) if after(says) in _LEFT
    }


UNSEEN = PerClass(_changing(lambda says: says.unseen))
"""The fields that unseen code may change."""
SUSPENDED = PerClass(_changing(lambda says: says.suspended))
"""The fields that others may change while code waits, but for the elements of containers: its consumer looks
whether these are still the same."""
RARELY = PerClass(lambda cls: tuple([one.name for one, says in declarations(cls) if says.rarely]))
"""The fields that most unseen code leaves alone."""
RARELY_IN_CALLS = PerClass(
    lambda cls: tuple([one.name for one, says in declarations(cls) if says.rarely or says.of is Aspect.GRADIENT])
)
"""The same of code that is called and comes back: most of it leaves gradients alone as well."""


def _changed_by_use(cls: type) -> tuple[str, ...]:
    says = {one.name: says for one, says in declarations(cls)}
    waits = any(one.suspended is not After.KEPT for one in says.values())
    return tuple([name for name, one in says.items() if waits and one.unseen is not After.KEPT])


NOTICED = PerClass(_changed_by_use)
"""The fields that change with use, of a class of which any may change while code waits."""


def _deciding(cls: type) -> Callable[[Any], object] | None:
    names = [one.name for one, says in declarations(cls) if says.decides]
    return attrgetter(*names) if names else None


DECIDING = PerClass(_deciding)
"""A reader of those fields of an object that decide on what is computed with it."""


def after_unseen_code(thing: ObjectT) -> ObjectT:
    """An object that unseen code had hold of."""
    if isinstance(thing, Container) and thing.kind == "tuple":
        return thing
    return _weakened(thing, UNSEEN[type(thing)])


def after_waiting(thing: ObjectT) -> ObjectT:
    """An object after code has waited: meanwhile others may have done to it what they like."""
    return _weakened(thing, SUSPENDED[type(thing)])


def after_more(thing: ObjectT) -> ObjectT:
    """An object that is changed by code which went on, nobody knows how often."""
    return thinned(thing) if isinstance(thing, Container) else after_waiting(thing)  # type: ignore[return-value]


def _weakened(thing: ObjectT, plan: dict[str, Weaken]) -> ObjectT:
    left = {}
    for name, weaken in plan.items():
        known = getattr(thing, name)
        now = weaken(known, thing)
        if now is not known and now != known:
            left[name] = now
    return replace(thing, **left) if left else thing
