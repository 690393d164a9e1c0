"""The undecided questions that cost findings: what rules would find if all that is unsure spoke for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, ClassVar

from gradlint.domain import Fact, Syntax
from gradlint.events import Event
from gradlint.frozen import replace
from gradlint.rule import Rule


def undecided(events: Iterable[Event], rules: Sequence[Rule]) -> list[tuple[str, Syntax]]:
    """The rules, by code, and the places at which each was undecided: it heard an event of the linted file, reported
    nothing there, and would have if the facts that were unsure had been what it asks for."""
    found: dict[tuple[str, int], tuple[str, Syntax]] = {}
    in_favour = InFavour()
    here = [(event, in_favour(event)) for event in events if not event.file]
    for rule in rules:
        for kind, keys, check in rule.checks:
            for event, decided in here:
                if decided is not event and type(event) is kind and (not keys or event.key in keys):
                    reported = {id(draft.node) for draft in check(event)}
                    for draft in check(decided):
                        if id(draft.node) not in reported:
                            found.setdefault((rule.code, id(draft.node)), (rule.code, draft.node))
    return list(found.values())


class InFavour:
    """Makes copies of events in which what is unsure answers in favour of findings; what stands in several places, such
    as an event in two stories, is the same thing in all copies."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}  # with what was copied, whose id would be given away otherwise

    def __call__(self, thing: Any) -> Any:
        """The copy; the thing itself where nothing in it is unsure."""
        if isinstance(thing, Fact):
            return in_favour(thing) if thing.is_unsure else thing
        names = _fields(thing.__class__)
        if not names and type(thing) is not tuple:
            return thing
        if id(thing) not in self._made:
            self._made[id(thing)] = thing, self._copied(thing, names)
        return self._made[id(thing)][1]

    def _copied(self, thing: Any, names: Sequence[str]) -> Any:
        parts = [getattr(thing, name) for name in names] if names else thing
        copies = [self(part) for part in parts]
        if all(copy is part for copy, part in zip(copies, parts, strict=True)):
            return thing
        return replace(thing, **dict(zip(names, copies, strict=True))) if names else tuple(copies)


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """The fields of a class of our data; none of any other."""
    ours = is_dataclass(kind) and kind.__module__.startswith("gradlint.")
    return tuple(field.name for field in fields(kind)) if ours else ()


@cache
def in_favour(fact: Fact) -> Fact:
    """An unsure fact as it would be if it were known, and what a rule asks for: it takes back no answer that a path
    showed. A rule asks for what certainly holds or what some path showed, and that nothing else can."""
    kind: Any = type(f"{type(fact).__name__}InFavour", (_Decided, type(fact)), {"__slots__": ()})
    decided: Fact = object.__new__(kind)
    decided.bits, decided.is_unsure = fact.bits, False
    return decided


class _Decided:
    """The answers of facts that are decided in favour; sets made of them are plain ones again."""

    __slots__ = ()
    bits: int
    _unsure: ClassVar[int]

    def __init_subclass__(cls) -> None:
        """Keep the sets of the kind of fact that is decided."""

    @property
    def _shown(self) -> int:
        return self.bits & (self._unsure - 1)

    def __le__(self, other: Fact) -> bool:
        return not self._shown & ~other.bits

    def possibly(self, other: Fact) -> bool:
        return True

    def may(self, other: Fact) -> bool:
        return bool(self._shown & other.bits)
