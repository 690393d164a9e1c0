"""The circumstances under which code runs, besides the state: where it makes objects, the loops, calls and blocks
around it, and what the call that it belongs to has done so far."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from gradlint.domain.facts import NO, Truth
from gradlint.domain.ground import Name
from gradlint.domain.provenance import Cause
from gradlint.domain.refs import Escape, Graph, Origin, Ref
from gradlint.domain.state import State
from gradlint.domain.values import Value
from gradlint.interpreter.engine.frames import Frame

Looked = dict[tuple[Ref | int, str], None]
"""Objects that were looked at (with no name), attributes of objects that were read, and variables by their frames."""


@dataclass(slots=True)
class Allocations:
    """The allocator of references: the numbers of the `sites`, the `age` of new objects, the origins `made` so far in
    the innermost loop, and the frames that were `entered` in it. `round` tells apart what the rounds make of a loop or
    comprehension that is run element by element; `whole` and `frames` say which sites and frames they are without that,
    `others` and `frames_of` which those are for each round."""

    sites: dict[object, int] = field(default_factory=dict)
    made: set[Origin] = field(default_factory=set)
    entered: set[int] = field(default_factory=set)
    age: int = 0
    round: int = 0
    whole: dict[int, int] = field(default_factory=dict)
    others: dict[int, dict[int, int]] = field(default_factory=dict)
    frames: dict[int, int] = field(default_factory=dict)
    frames_of: dict[tuple[int, int], int] = field(default_factory=dict)

    def site(self, node: object) -> int:
        """The number of a place that makes objects."""
        if not self.round:
            return self._number(node)
        number = self._number((node, self.round))
        if number not in self.whole:
            self.whole[number] = whole = self._number(node)
            self.others.setdefault(whole, {})[number] = self.round
        return number

    def _number(self, place: object) -> int:
        number = self.sites.get(place)
        if number is None:
            number = self.sites[place] = len(self.sites) + 1
        return number

    def of_any_round(self, ref: Ref) -> Graph:
        """Return the origin of an object, whatever the round."""
        return self.whole.get(ref.site, ref.site), ref.part, self.frames.get(ref.context, ref.context)

    def frame(self, number: int, whole: int) -> None:
        """A frame belongs to a round: of all rounds together it would be that one."""
        self.frames[number] = whole
        self.frames_of[whole, self.round] = number

    def of_other_rounds(self, ref: Ref) -> list[Ref]:
        """Return the references of other rounds from the site of this one."""
        whole, frame = self.whole.get(ref.site), self.frames.get(ref.context)
        sites = {} if whole is None else self.others[whole]
        return [
            Ref(site, ref.part, ref.context if frame is None else self.frames_of.get((frame, number), ref.context))
            for site, number in sites.items()
            if site != ref.site
        ]

    def begin(self, frame: Frame, state: State) -> None:
        """A frame begins: what it made the last time grows older, unless the pass of a loop has seen to that."""
        if frame.id in self.entered:
            state.age(frame.made)
        self.entered.add(frame.id)


@dataclass(slots=True)
class ActiveLoop:
    """A loop that runs: the origins of what was made in it, not in a loop inside it, and whether it goes over parts of
    networks, of which there are as many as there are."""

    made: set[Origin]
    over_parts: bool = False


@dataclass(slots=True)
class LoopNest:
    """The loops around: how many levels of them are `peeled`, how many are `deep` in others, whether the iteration
    that runs is a `later` one, and how many `times` all those together run that are run element by element.

    `sweeping` are the objects that they go over together, `walks` the names of loops that are at one of several
    objects, and `at_hand` what each of their variables may be, object by object. `partial` is how many of them go over
    some of the objects that the variable may be: inside these none are gone over together.
    """

    active: list[ActiveLoop] = field(default_factory=list)
    peeled: int = 0
    deep: int = 0
    later: Truth = NO
    times: int = 1
    sweeping: list[Ref] = field(default_factory=list)
    walks: list[str] = field(default_factory=list)
    at_hand: list[frozenset[Value]] = field(default_factory=list)
    partial: int = 0


@dataclass(slots=True)
class CallStack:
    """The calls around: functions that are `running` and classes that one is `building` instances of, in how many
    constructors and modules that is, the parts of which any may be the next (`in_any_order`), and how many blocks
    around are `expected` to raise; in how many an error is `swallowed` and training goes on. `summaries` are those of
    the calls before, by their keys."""

    running: list[object] = field(default_factory=list)
    building: list[object] = field(default_factory=list)
    instances_deep: int = 0
    inside_module: int = 0
    in_any_order: frozenset[Value] = frozenset()
    expected: int = 0
    swallowed: int = 0
    summaries: dict[Hashable, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Effects:
    """The effects of a call: the variables of others that it has `read`, the values it has `handed` to unseen code,
    memories and version counters that it `wrote`, nodes and leaves that a backward of it has `differentiated`, the
    nodes it has `cut` something off from, what it has `looked` at, where somebody wants to know (`deferred`), and
    whether unseen code got hold of something while gradients were off (`unseen_off`)."""

    read: dict[Name, Value] = field(default_factory=dict)
    handed: dict[Ref, Escape] = field(default_factory=dict)
    wrote: dict[Ref, None] = field(default_factory=dict)
    differentiated: dict[Ref, None] = field(default_factory=dict)
    cut: dict[Ref, Cause] = field(default_factory=dict)
    looked: Looked | None = None
    unseen_off: bool = False

    def include(self, inner: Effects) -> None:
        """A call inside has done this as well."""
        self.read |= inner.read
        self.wrote |= inner.wrote
        self.differentiated |= inner.differentiated
        self.cut |= inner.cut
        self.unseen_off |= inner.unseen_off
        for ref, how in inner.handed.items():
            self.handed[ref] = max(how, self.handed.get(ref, how))
        if self.looked is not None and inner.looked is not None:
            self.looked |= inner.looked


@dataclass(slots=True)
class Blocks:
    """The state of `with` blocks: the expression whose manager one is `entering`, how often a mode was `switched` that
    no block takes back, or in a block that may be left before another takes it back (`crossed`), how many blocks around
    are `copying` what is saved for backward, and whether one has set a device."""

    entering: Any = None
    switched: int = 0
    crossed: int = 0
    copying: int = 0
    device_entered: bool = False
