"""Updates by hand: how a program updates tensors itself, and where it reads their gradients before and afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gradlint.domain import Ref, Syntax, Tensor
from gradlint.events import AttributeAssigned, BackwardRun, Event, GradientRead, WrittenInPlace

Update = WrittenInPlace | AttributeAssigned
"""The update of a tensor: a program writes its memory, or gives it other data."""
Conditions = tuple[tuple[Syntax, bool], ...]


def is_of_tensor(update: Update) -> bool:
    """Return whether it is a tensor that is updated."""
    return isinstance(update.target if isinstance(update, WrittenInPlace) else update.owner, Tensor)


def target_of(update: Update) -> Tensor:
    """The tensor that is updated."""
    thing = update.target if isinstance(update, WrittenInPlace) else update.owner
    assert isinstance(thing, Tensor)  # no other object's data are given to it
    return thing


@dataclass
class Updates:
    """The updates of a story by the memory that they may write, each place with when it first did and the last event
    there."""

    found: dict[Ref, dict[Syntax, tuple[int, int, Update]]] = field(default_factory=dict)

    @classmethod
    def among(cls, updates: Iterable[Update]) -> Updates:
        """Return the updates of a story, in its order."""
        made = cls()
        for number, one in enumerate(updates):
            for ref in target_of(one).storage:
                at = made.found.setdefault(ref, {})
                at[one.node] = (at[one.node][0] if one.node in at else number, number, one)
        return made

    def of(self, storage: Iterable[Ref]) -> tuple[Update, ...]:
        """The last update at each place that may write one of these memories, in the order of places."""
        here: dict[Syntax, tuple[int, int, Update]] = {}
        for ref in storage:
            for node, (first, number, one) in self.found.get(ref, {}).items():
                before = here.get(node, (first, number, one))
                last = max(before, (first, number, one), key=lambda each: each[1])
                here[node] = (min(first, before[0]), *last[1:])
        return tuple(one for _, _, one in sorted(here.values(), key=lambda each: each[0]))


@dataclass
class Reads:
    """The reads of gradients, told in one pass over a story. Its backwards part it into spans: `come_by` says when each
    of them first comes by a place, `last` when the gradient of a memory was last read in it under which conditions
    (with `True`, only at places that had not read it before), `before` what each update was computed from."""

    come_by: dict[Syntax, dict[int, int]] = field(default_factory=dict)
    last: dict[tuple[Ref, int, bool], dict[Conditions, int]] = field(default_factory=dict)
    before: dict[Update, GradientRead] = field(default_factory=dict)

    @classmethod
    def told(cls, story: Sequence[Event]) -> Reads:
        """All reads of a story."""
        made, span = cls(), 0
        seen: set[tuple[Ref, Syntax]] = set()
        latest: dict[Ref, tuple[int, GradientRead]] = {}
        for number, event in enumerate(story):
            if isinstance(event, BackwardRun):
                span += 1
                seen.clear()
            elif isinstance(event, Update):
                made.come_by.setdefault(event.node, {}).setdefault(span, number)
                read = [latest[ref] for ref in target_of(event).storage if ref in latest] if is_of_tensor(event) else []
                if read:
                    made.before[event] = max(read, key=lambda each: each[0])[1]
            elif isinstance(event, GradientRead):
                made._hear(event, number, span, seen)
                latest |= {} if event.guard else dict.fromkeys(event.tensor.storage, (number, event))
        return made

    def _hear(self, read: GradientRead, number: int, span: int, seen: set[tuple[Ref, Syntax]]) -> None:
        for ref in read.tensor.storage:
            for first in (False, True) if (ref, read.node) not in seen else (False,):
                self.last.setdefault((ref, span, first), {})[read.conditions] = number
            seen.add((ref, read.node))

    def again(self, update: Update) -> set[Conditions]:
        """Return the conditions under which the gradient is read between an update and the next backward.

        Of a tensor that stands for several, only places that no other one of them has come by before are meant.
        """
        target = target_of(update)
        return {
            conditions
            for span, number in self.come_by.get(update.node, {}).items()
            for ref in target.storage
            for conditions, at in self.last.get((ref, span, target.is_summary), {}).items()
            if at > number
        }
