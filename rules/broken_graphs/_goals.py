"""Goals of value networks: a gain and a share of the most that the network itself gives for what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gradlint.domain import YES, Constant, Graph, Memory, Syntax, Tensor, memories
from gradlint.events import BackwardRun, ModuleFinished, OptimizerStepped, Recorded, WrittenInPlace

from ._terms import SUMS, UNKNOWN, Ways, nodes_of

FITS = frozenset("mse_loss l1_loss smooth_l1_loss huber_loss MSELoss L1Loss SmoothL1Loss HuberLoss".split())
DISTANCES = frozenset({"pow", "square", "abs"})
"""The operations that compare two tensors, and those that make a distance of their difference."""
MOST_OF = frozenset({"max", "max along dim", "amax", "minimum", "min of two"})
"""The operations that take the best of what may come next, or the more careful of two estimates."""
SHARES = frozenset({"mul", "div"})
DEEPEST = 6
"""The most operations that are looked back from a sum to what it takes the most of."""


@dataclass(frozen=True)
class Chase:
    """A loss that fits a network to what it gives itself: where it is compared, and where the goal is computed."""

    node: Syntax
    goal: Syntax
    event: Recorded


@dataclass
class _Goals:
    """The goals so far: by the nodes that made them, and the memories that they were written to."""

    ways: Ways = field(default_factory=Ways)
    made: dict[Graph, Syntax] = field(default_factory=dict)
    written: dict[Memory, Syntax] = field(default_factory=dict)
    differences: dict[Graph, tuple[Recorded, Syntax]] = field(default_factory=dict)

    def hear(self, event: Recorded | WrittenInPlace) -> Chase | None:
        """Take in an operation; a loss that compares a goal with what it is for is returned."""
        self.ways.hear(event)
        if isinstance(event, WrittenInPlace):
            if event.target.storage and (goal := self._goal_in(event.operands)) is not None:
                self.written[event.target.storage] = goal
            return None
        found = None
        if event.op in FITS or event.op == "sub":
            found = self._compared(event)
        if found is not None and event.op == "sub":
            self.differences |= dict.fromkeys(nodes_of(event.result), (event, found))
            return None
        if event.op in DISTANCES:
            told = [
                self.differences[node] for one in event.operands for node in nodes_of(one) if node in self.differences
            ]
            return Chase(told[0][0].node, told[0][1], event) if told else None
        if found is None and (goal := event.node if self._is_goal(event) else self._handed_on(event)) is not None:
            self.made |= dict.fromkeys(nodes_of(event.result), goal)
        return None if found is None else Chase(event.node, found, event)

    def _compared(self, event: Recorded) -> Syntax:
        """Return the place that computes the goal which is compared with what the same parameters give."""
        goals = [self._goal_in([one]) for one in event.operands[:2]]
        if len(goals) < 2 or (goals[0] is None) is (goals[1] is None):
            return None
        one, other = (self.ways.reached_by(operand) for operand in event.operands[:2])
        return (goals[0] or goals[1]) if one & other & ~UNKNOWN else None

    def _goal_in(self, tensors: Sequence[Tensor]) -> Syntax:
        for one in tensors:
            if one.requires_grad.may(YES):
                made = [self.made[node] for node in nodes_of(one) if node in self.made]
                found = made[0] if made else self.written.get(one.storage)
                if found is not None:
                    return found
        return None

    def _handed_on(self, event: Recorded) -> Syntax:
        """The goal that is only given another form here."""
        return self._goal_in(event.operands) if len(event.operands) == 1 and event.op not in DISTANCES else None

    def _is_goal(self, event: Recorded) -> bool:
        if event.op not in SUMS:
            return False
        fixed = [one for one in event.operands if not self.ways.reached_by(one) & ~UNKNOWN]
        gains = bool(fixed) or any(not isinstance(value, Constant) for _, value in event.others)
        return gains and any(self._is_share(one) for one in event.operands if one.requires_grad <= YES)

    def _is_share(self, tensor: Tensor) -> bool:
        """Return whether this is a share of the most of something."""
        waiting, shares = [(tensor, 0)], False
        while waiting:
            one, depth = waiting.pop()
            event = next((self.ways.made[node] for node in nodes_of(one) if node in self.ways.made), None)
            if event is None or depth > DEEPEST:
                continue
            if event.op in MOST_OF:
                return shares
            if event.op in SUMS:
                continue
            shares = shares or event.op in SHARES
            waiting += [(other, depth + 1) for other in event.operands if other.requires_grad.may(YES)]
        return False


def chases(end: ModuleFinished) -> Iterator[Chase]:
    """The losses by which a network is fitted to goals of its own, by backwards that a step of it follows."""
    ops = {one.op for one in end.story if isinstance(one, Recorded)}
    if ops.isdisjoint(MOST_OF) or not any(isinstance(one, OptimizerStepped) for one in end.story):
        return
    goals, found, told = _Goals(), list[tuple[Chase, int]](), set[Syntax]()
    pending: set[Memory] = set()
    for event in end.story:
        if isinstance(event, Recorded | WrittenInPlace):
            if (chase := goals.hear(event)) is not None:
                found.append((chase, goals.ways.reached_by(chase.event.result)))
        elif isinstance(event, BackwardRun) and event.how == "backward":
            pending = set(memories(event.leaves))
        elif isinstance(event, OptimizerStepped) and found:
            now = memories(event.parameters) & pending
            for chase, reached in found:
                is_used = all(node in end.used for node in nodes_of(chase.event.result))
                if is_used and chase.node not in told and goals.ways.memories(reached) & now:
                    told.add(chase.node)
                    yield chase
            found = []
