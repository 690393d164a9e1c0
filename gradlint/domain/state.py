"""The state of a program at one point: what names hold, the heap, the grad mode.

States are changed in place by the interpreter, copied where paths part (`copy`) and brought together
where they meet (`joined`). Values that an expression still needs while another part of it runs are
part of the state too (`stack`), because objects change their references when a site ages.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import combinations, compress
from operator import is_not
from typing import TypeVar

from gradlint.domain.facts import NO, YES, Truth
from gradlint.domain.ground import Ground, Name
from gradlint.domain.heap import COPIED_AT_ONCE, Heap, Index
from gradlint.domain.joining import Sides, joined
from gradlint.domain.mentions import object_references, object_renamed, origins
from gradlint.domain.objects import MOST_ITEMS, OWNERS, Instance, Module, Object
from gradlint.domain.refs import CONTEXT_BITS, Origin, Ref, Syntax
from gradlint.domain.value_sets import alternatives, one_of, references, renamed
from gradlint.domain.values import Context, Value

KeyT = TypeVar("KeyT")
ThingT = TypeVar("ThingT")

OLDEST = 2
FEW = 64

Modes = tuple[Truth, Truth, Syntax, Syntax]
Guard = tuple[Syntax, bool]
"""A test, and whether it holds."""
Fork = tuple[AbstractSet[Ref], AbstractSet[Ref]]
"""The objects that one path alone has made and those that another alone has, where they met."""


@dataclass(slots=True)
class State:
    """The state at one point of one path. A state that is not `live` is never reached.

    `switch` is the piece of the program that set the modes, `inferring` the one that switched inference mode on; None
    where none did, or several may have. `taken` are the parts of the `ground` that it has taken over. One that is
    `refused` is behind a line that certainly raises: what is there is looked at, but no path that runs meets it.
    An `unexplained_edge` leads to one that is reached only if something is raised of which nothing says that it is.
    `guards` are the tests that nobody can decide by which its path parted from others, each with its outcome, as long
    as it has not met those again. `apart` are objects of which no path has both: of each fork, none of one
    side is there where one of the other is.
    """

    names: dict[Name, Value] = field(default_factory=dict)
    heap: Heap = field(default_factory=lambda: Heap({}, Index()))
    stack: list[Value] = field(default_factory=list)
    grad_mode: Truth = YES
    inference: Truth = NO
    switch: Syntax = None
    inferring: Syntax = None
    live: bool = True
    swept: int = 0
    ground: Ground = field(default_factory=Ground)
    taken: dict[int, None] = field(default_factory=dict)
    refused: bool = False
    unexplained_edge: bool = False
    guards: frozenset[Guard] = frozenset()
    apart: tuple[Fork, ...] = ()

    def copy(self) -> State:
        """The same facts, to be changed on another path."""
        return State(
            dict(self.names),
            self.heap.copy(),
            list(self.stack),
            self.grad_mode,
            self.inference,
            self.switch,
            self.inferring,
            self.live,
            self.swept,
            self.ground,
            dict(self.taken),
            self.refused,
            self.unexplained_edge,
            self.guards,
            self.apart,
        )

    @property
    def modes(self) -> Modes:
        """The grad mode, the inference mode, what set them, and what switched inference mode on."""
        return self.grad_mode, self.inference, self.switch, self.inferring

    @modes.setter
    def modes(self, modes: Modes) -> None:
        self.grad_mode, self.inference, self.switch, self.inferring = modes

    def enter(self, context: Context, node: Syntax) -> None:
        """Enter a context at this node: the modes are its from here on."""
        place = context.at or node
        self.grad_mode, self.switch = context.to, place
        if context.inference is not None:
            self.inference = context.inference
            self.inferring = place if context.inference is YES else None

    def held(self, name: Name) -> Value | None:
        """Return the value of a variable."""
        found = self.names.get(name)
        if found is None and (part := self.ground.of_name.get(name)) is not None and part not in self.taken:
            self.take([part])
            found = self.names.get(name)
        return found

    def reaching(self, value: Value) -> Value:
        """The value; what it refers to is there from now on."""
        of_ref = self.ground.of_ref
        self.take([of_ref[ref] for ref in references(value) if ref in of_ref])
        return value

    def take(self, parts: Iterable[int]) -> None:
        """Take over parts of the ground with all they need, where that has not been done."""
        taken, heap = self.taken, self.heap
        todo = [part for part in parts if part not in taken]
        while todo:
            number = todo.pop()
            if number in taken:
                continue
            taken[number] = None
            part = self.ground.parts[number]
            for name, value in part.names.items():
                self.names.setdefault(name, value)
            for ref, thing in part.heap.items():
                if ref not in heap:
                    heap[ref] = thing
            heap.index.work += len(part.names) + len(part.heap)
            todo += part.needs

    def age(self, made: AbstractSet[Origin], *, at_once: bool = False) -> list[Ref]:
        """Let what was made at these origins grow one step older, or `at_once` as old as can be: they are about to
        make new objects. Gives those that are as old as can be now and were not before."""
        if not made:
            return []
        heap = self.heap
        heap.index.work += 2 * len(heap)
        touched = [ref for ref, thing in heap.items() if not made.isdisjoint(origins(thing))]
        mentioned = dict.fromkeys(heap)
        for ref in touched:
            mentioned.update(dict.fromkeys(object_references(heap[ref])))
        for value in (*self.names.values(), *self.stack):
            if type(value) is not Ref:
                mentioned.update(dict.fromkeys(references(value)))
        now: dict[Ref, Ref] = {}
        for ref in mentioned:
            site, part, context, age = ref
            if age < OLDEST and site << CONTEXT_BITS | context in made:
                now[ref] = Ref(site, part, context, OLDEST if at_once else age + 1)
        if now:
            self.rename(now, touched)
        return [ref for ref in now.values() if ref.recency == OLDEST]

    def are_apart(self, refs: Sequence[Ref]) -> bool:
        """Return whether no path has two of these objects, so that what is one of them is the one that there is."""
        return bool(self.apart) and all(other in self.without(one) for one, other in combinations(refs, 2))

    def excludes(self, refs: Iterable[Ref], ref: Ref) -> bool:
        """Return whether no path that has these objects has this one."""
        return bool(self.apart) and not self.without(ref).isdisjoint(refs)

    def without(self, ref: Ref) -> AbstractSet[Ref]:
        """The objects that no path has which has this one."""
        sides = [there for here, there in (*self.apart, *map(_turned, self.apart)) if ref in here]
        return frozenset[Ref]().union(*sides)

    def part(self, refs: Iterable[Ref]) -> None:
        """Forget what no path has that has these objects: this one has them."""
        for ref in frozenset[Ref]().union(*map(self.without, refs)) if self.apart else ():
            self.heap.pop(ref, None)

    def makes(self, ref: Ref) -> None:
        """An object is made, whatever others there are."""
        if any(ref in here or ref in there for here, there in self.apart):
            self.apart = tuple((here - {ref}, there - {ref}) for here, there in self.apart)

    def rename(self, now: dict[Ref, Ref], touched: Iterable[Ref]) -> None:
        """Objects get other references, which these objects mention; what is there already joins them."""
        if not all(here.isdisjoint(now) and there.isdisjoint(now) for here, there in self.apart):
            merged = {ref for ref, older in now.items() if older.recency == OLDEST or older in self.heap}
            self.apart = tuple(
                (_renamed(here - merged, now), _renamed(there - merged, now)) for here, there in self.apart
            )
        names = self.names
        for name, value in names.items():
            if type(value) is Ref:
                if value in now:
                    names[name] = now[value]
            elif references(value):
                names[name] = renamed(value, now)
        self.stack = [renamed(value, now) for value in self.stack]
        heap = self.heap
        for ref in touched:
            heap[ref] = object_renamed(heap[ref], now)
        for ref in sorted((ref for ref in now if ref in heap), key=_oldest_first):
            older = now[ref]
            thing = heap.pop(ref)
            heap[older] = joined(thing, heap[older]) if older in heap else thing

    def foresee(self, later: State, oldest: Iterable[Ref]) -> None:
        """Let what is as old as can be also be as it is in a later state: there is more of it by then."""
        heap = self.heap
        for ref in oldest:
            if (thing := later.heap.get(ref)) is not None:
                heap[ref] = joined(heap[ref], thing) if ref in heap else thing

    def reach(
        self, values: Iterable[Value], by: Callable[[Object], tuple[Ref, ...]] = object_references
    ) -> dict[Ref, None]:
        """All objects that these values mention, directly or by others, in the order of finding; `by` gives what of
        that counts of each object."""
        found: dict[Ref, None] = {}
        heap = self.heap
        todo = [ref for value in values for ref in references(value)]
        mentioned = 0
        while todo:
            ref = todo.pop()
            if ref not in found and (thing := heap.get(ref)) is not None:
                found[ref] = None
                more = by(thing)
                mentioned += len(more)
                todo += [one for one in more if one not in found]
        heap.index.work += len(found) + mentioned // COPIED_AT_ONCE
        return found

    def alive(self) -> set[Ref]:
        """All objects that something refers to. Goes over those of one distance together: loops need it in every
        iteration."""
        heap, found = self.heap, set[Ref]()
        todo = {ref for value in (*self.names.values(), *self.stack) for ref in references(value)}
        mentioned = 0
        while todo:
            found |= todo
            mentions = [object_references(heap[ref]) for ref in todo if ref in heap]
            mentioned += sum(map(len, mentions))
            todo = set[Ref]().union(*mentions) - found
        heap.index.work += len(found) + mentioned // COPIED_AT_ONCE
        return found

    def sweep(self) -> None:
        """Forget objects that nothing refers to."""
        alive = self.alive()
        if not alive.issuperset(self.heap):
            self.heap = self.heap.of(alive)
        self.swept = len(self.heap)

    def tidy(self) -> None:
        """Forget objects that nothing refers to, where they may have become many."""
        if len(self.heap) > 2 * self.swept + FEW:
            self.sweep()


def _oldest_first(ref: Ref) -> tuple[int, int, str, int]:
    site, part, context, age = ref
    return -age, site, part, context


def joined_states(states: Iterable[State]) -> State:
    """The state that may be any of these; not live if none of them is."""
    live = [state for state in states if state.live]
    if not live:
        return State(live=False)
    if any(state.refused for state in live):
        live = [state for state in live if not state.refused] or live
    unexplained = all(state.unexplained_edge for state in live)
    if len(live) == 1:
        return live[0]
    for state in live[1:]:
        live[0].take(state.taken)
    for state in live[1:]:
        state.take(live[0].taken)
    out = live[0].copy()
    for state in live[1:]:
        _join_into(out, state)
    out.unexplained_edge = unexplained
    return out


def _turned(fork: Fork) -> Fork:
    return fork[1], fork[0]


def _renamed(refs: AbstractSet[Ref], now: Mapping[Ref, Ref]) -> AbstractSet[Ref]:
    return frozenset(now.get(ref, ref) for ref in refs)


def _join_into(out: State, other: State) -> None:
    names, heap = out.names, out.heap
    met: list[tuple[Value, Value]] = [(a, b) for a, b in zip(out.stack, other.stack, strict=False) if a is not b]
    for name, value in differing(other.names, names):
        mine = names.get(name)
        if mine is None:
            names[name] = value
        elif mine != value:
            names[name] = one_of((mine, value))
            heap.index.work += len(references(names[name]))
            met.append((mine, value))
    heap.index.work += (len(names) + len(heap)) // COPIED_AT_ONCE
    other_things = differing(other.heap, heap)
    sides = Sides(other.heap, {ref for ref, _ in other_things if ref not in heap})
    for ref, thing in other_things:
        met += _attributes_met(heap.get(ref), thing)
    apart = _still_apart(out, other)
    if any(_is_parted(*pair, heap, other.heap) for pair in met):
        new = frozenset(ref for ref, _ in other_things if ref not in heap)
        fork = (frozenset(ref for ref in heap if ref not in other.heap), new)
        apart = tuple(dict.fromkeys((*apart, fork)))
    out.apart = apart[-MOST_FORKS:]
    for ref, thing in other_things:
        known = heap.get(ref)
        heap[ref] = thing if known is None else joined(known, thing, sides)
    out.stack = [a if a == b else one_of((a, b), MOST_ITEMS) for a, b in zip(out.stack, other.stack, strict=False)]
    out.guards &= other.guards
    out.grad_mode = out.grad_mode | other.grad_mode
    out.inference = out.inference | other.inference
    out.switch = out.switch if out.switch is other.switch else None
    out.inferring = out.inferring if out.inferring is other.inferring else None


def differing(mapping: Mapping[KeyT, ThingT], other: Mapping[KeyT, ThingT]) -> list[tuple[KeyT, ThingT]]:
    """Return the entries of a mapping that the other lacks, or has as another object. Most of two states is the same,
    so this is written to run without a step of the interpreter for each."""
    return [*compress(mapping.items(), map(is_not, mapping.values(), map(other.get, mapping)))]


def _attributes_met(mine: Object | None, other: Object) -> Generator[tuple[Value, Value]]:
    """Yield the two values of each attribute that differs between two paths."""
    if type(mine) is type(other) and isinstance(mine, Module | Instance) and isinstance(other, Module | Instance):
        if mine.attributes is other.attributes:
            return
        known = dict(other.attributes)
        for name, value in mine.attributes:
            if (theirs := known.get(name)) is not None and theirs is not value:
                yield value, theirs


def _is_parted(value: Value, theirs: Value, mine: Heap, other: Heap) -> bool:
    """Return whether something is an object that one path alone has there, and one that another alone has here. It
    matters of those alone whose attributes are set: what they are like is changed."""
    return _is_made(value, mine, other) and _is_made(theirs, other, mine)


def _is_made(value: Value, here: Heap, elsewhere: Heap) -> bool:
    return any(
        type(ref) is Ref and ref not in elsewhere and type(here.get(ref)) in OWNERS for ref in alternatives(value)
    )


MOST_FORKS = 16
"""The most forks that are remembered: the latest."""


def _still_apart(out: State, other: State) -> tuple[Fork, ...]:
    """The forks that hold in both states: one of the two has them, and the other has them as well or nothing of one
    side."""
    if out.apart == other.apart:
        return out.apart
    forks = dict.fromkeys((*out.apart, *other.apart))
    return tuple(fork for fork in forks if all(_holds(fork, state) for state in (out, other)))


def _holds(fork: Fork, state: State) -> bool:
    return fork in state.apart or not all(any(ref in state.heap for ref in side) for side in fork)


def same(a: State, b: State) -> bool:
    """Return whether two states hold the same facts (used for fixpoints: the second was joined from the first)."""
    return (
        a.live == b.live
        and a.grad_mode is b.grad_mode
        and a.inference is b.inference
        and a.names == b.names
        and a.heap == b.heap
        and a.unexplained_edge == b.unexplained_edge
        and a.apart == b.apart
    )
