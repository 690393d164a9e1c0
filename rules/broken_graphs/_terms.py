"""Each summand of what is differentiated, and its way to parameters: which it reaches, and from which it was cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gradlint.domain import NO, YES, CauseKind, Graph, Memory, Syntax, Tensor
from gradlint.events import BackwardRun, Event, ModuleCalled, Recorded, WrittenInPlace

SUMS = frozenset({"add", "sub", "add_", "sub_", "iadd", "isub"})
SCALES = frozenset({"neg", "mul", "div", "mul_", "div_", "GradScaler.scale"})
"""Operations that a sum goes through term by term, the second where a number is all that comes to it."""
Key = tuple[object, ...]


@dataclass(frozen=True)
class Term:
    """A summand: the `tensor`, and where it is added. `reached` are the parameters that gradients get to by it, `lost`
    those that it was computed from behind a cut, which stands at `cut`; `open` says that nobody knows all of them."""

    tensor: Tensor
    added: Syntax
    reached: frozenset[Memory]
    lost: frozenset[Memory]
    cut: Syntax
    open: bool


@dataclass
class Ways:
    """What each result of the story so far was computed from. Parameters are bits, of which the first stands for all
    that is not known; `made` are the last operations that gave a node, `written` those that wrote a memory."""

    bits: dict[Memory, int] = field(default_factory=dict)
    reached: dict[Graph, int] = field(default_factory=dict)
    lost: dict[Key, tuple[int, Syntax]] = field(default_factory=dict)
    made: dict[Graph, Recorded] = field(default_factory=dict)
    written: dict[Memory, WrittenInPlace] = field(default_factory=dict)

    def hear(self, event: Event) -> None:
        """Take in what happened next."""
        if isinstance(event, Recorded):
            self._give(event.result, event.operands, event)
            self.made |= dict.fromkeys(nodes_of(event.result), event)
        elif isinstance(event, WrittenInPlace) and event.target.storage:
            self.written[event.target.storage] = event
        elif isinstance(event, ModuleCalled) and not event.nested and isinstance(event.result, Tensor):
            given = [one for one in event.args if isinstance(one, Tensor)]
            if not any(node in self.reached for node in nodes_of(event.result)):
                own = sum({self._bit(memory) for memory in event.memories}) if event.trainable.may(YES) else 0
                self._give(event.result, given, event, own)

    def _give(self, result: Tensor, operands: Sequence[Tensor], event: Recorded | ModuleCalled, own: int = 0) -> None:
        reached, lost = own, (0, None)
        for one in operands:
            reached |= self.reached_by(one)
            lost = (lost[0] | (before := self.lost_by(one))[0], lost[1] or before[1])
        if result.requires_grad.may(YES):
            self.reached |= dict.fromkeys(nodes_of(result), reached)
        elif reached:
            lost = (lost[0] | reached, _cut(result) or event.node)
        if lost[0]:
            self.lost[_key(result)] = lost

    def reached_by(self, tensor: Tensor) -> int:
        """The parameters that gradients get to by a tensor."""
        if not tensor.requires_grad.may(YES):
            return 0
        nodes = nodes_of(tensor)
        if not nodes and tensor.storage and tensor.leaf <= YES:
            return self._bit(tensor.storage)
        found = 0 if nodes else UNKNOWN
        for node in nodes:
            found |= self.reached.get(node, UNKNOWN)
        return found

    def lost_by(self, tensor: Tensor) -> tuple[int, Syntax]:
        """The parameters that a tensor was computed from behind a cut, and where that is."""
        return self.lost.get(_key(tensor), (0, None))

    def _bit(self, memory: Memory) -> int:
        return self.bits.setdefault(memory, 2 << len(self.bits))

    def memories(self, found: int) -> frozenset[Memory]:
        """The parameters that stand so."""
        return frozenset(memory for memory, bit in self.bits.items() if bit & found)

    def terms(self, root: Tensor, added: Syntax = None) -> Iterator[Term]:
        """The summands of a tensor, itself where it is no sum."""
        waiting: list[tuple[Tensor, Syntax]] = [(root, added)]
        seen: set[Syntax] = set()
        while waiting:
            tensor, where = waiting.pop()
            made = self._maker(tensor)
            if made is not None and made.node not in seen:
                seen.add(made.node)
                waiting += [(one, made.node if made.op in SUMS else where) for one in _summed(made)]
            else:
                reached, (lost, cut) = self.reached_by(tensor), self.lost_by(tensor)
                yield Term(tensor, where, self.memories(reached), self.memories(lost), cut, bool(reached & UNKNOWN))

    def _maker(self, tensor: Tensor) -> Recorded | WrittenInPlace | None:
        """The sum, or what scales one, that gave a tensor, if it is that."""
        made = next((self.made[node] for node in nodes_of(tensor) if node in self.made), None)
        found = made or (self.written.get(tensor.storage) if nodes_of(tensor) else None)
        if found is None or found.op not in SUMS | SCALES:
            return None
        return found if found.op in SUMS or len(found.operands) == 1 else None


UNKNOWN = 1
"""What stands for parameters that nobody knows."""


def _summed(made: Recorded | WrittenInPlace) -> Iterable[Tensor]:
    return made.operands if isinstance(made, Recorded) else (made.target, *made.operands)


def nodes_of(tensor: Tensor) -> list[Graph]:
    """The nodes that may have made a tensor."""
    return [ref.key for ref in tensor.node if ref is not None]


def _key(tensor: Tensor) -> Key:
    """What tells a tensor that carries no graph from others on its memory, as far as that is told: where it was made.
    What is the same further on has a lost way of its own."""
    first = next((mark.node for mark in tensor.causes if mark.kind is CauseKind.MADE), None)
    return (tensor.storage, first, *nodes_of(tensor))


def _cut(tensor: Tensor) -> Syntax:
    return next((mark.node for mark in tensor.causes if mark.kind is CauseKind.CUT), None)


def ways_before(story: Sequence[Event], runs: Iterable[BackwardRun]) -> Iterator[tuple[BackwardRun, Ways]]:
    """Each of these backwards, with the ways as they are when it runs."""
    wanted, ways = set(map(id, runs)), Ways()
    for event in story if wanted else ():
        if id(event) in wanted:
            assert isinstance(event, BackwardRun)
            yield event, ways
        ways.hear(event)


def is_constant(term: Term) -> bool:
    """Whether no gradient goes back by a term."""
    return term.tensor.requires_grad <= NO
