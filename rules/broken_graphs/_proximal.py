"""Terms of a loss that compare the parameters of one network with those of another, which is not trained by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gradlint.domain import YES, Constant, Graph, Memory, Syntax, Tensor, memories
from gradlint.events import BackwardRun, Event, OptimizerStepped, Recorded

from ._terms import DIFFERENCES

COMPARING = DIFFERENCES | {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "dist", "pairwise_distance"}
"""The operations that compare two tensors."""


@dataclass(frozen=True)
class ProximalTerm:
    """A comparison, at `node`, of parameters that a `step` trains with `others`, in what the `run` differentiates."""

    run: BackwardRun
    step: OptimizerStepped
    node: Syntax
    others: frozenset[Memory]


@dataclass
class _Story:
    """The story so far: by its memory what was computed `of` parameters alone, and what is `compared`, by the place."""

    of: dict[Graph, frozenset[Memory]] = field(default_factory=dict)
    compared: dict[Syntax, tuple[frozenset[Memory], frozenset[Memory]]] = field(default_factory=dict)
    waiting: dict[Syntax, BackwardRun] = field(default_factory=dict)

    def compute(self, event: Recorded) -> None:
        """Take in an operation."""
        own = [self._parameters(one) for one in event.operands]
        if not own or not all(own) or not all(isinstance(one, Constant) for _, one in event.others):
            return
        self.of |= dict.fromkeys(_keys(event.result), frozenset[Memory]().union(*own))
        if event.op in COMPARING and len(own) == 2 and own[0].isdisjoint(own[1]):
            self.compared[event.node] = (own[0], own[1])

    def _parameters(self, tensor: Tensor) -> frozenset[Memory]:
        """The parameters that a tensor was computed from, if from nothing else and with its graph."""
        if not tensor.requires_grad <= YES:
            return frozenset()
        if tensor.parameter <= YES:
            self.of |= dict.fromkeys(_keys(tensor), memories([tensor]))
        found = [self.of.get(key, frozenset[Memory]()) for key in _keys(tensor)]
        return frozenset[Memory]().union(*found) if all(found) else frozenset()

    def step(self, event: OptimizerStepped) -> Iterator[ProximalTerm]:
        """Yield the comparisons in what waits for a step, of which that trains one side."""
        now = memories(event.parameters)
        for run in [run for run in self.waiting.values() if now & memories(run.leaves)]:
            del self.waiting[run.node]
            leaves = memories(run.leaves)
            for node, sides in self.compared.items():
                trained = [side for side in sides if side & now]
                others = [side for side in sides if not side & now and side <= leaves]
                if trained and others:
                    yield ProximalTerm(run, event, node, others[0])


def _keys(tensor: Tensor) -> list[Graph]:
    """The places of making of a tensor's memory: what is an element of a list is older than when it was made."""
    return [ref.key for ref in tensor.storage]


def proximal_terms(story: Iterable[Event]) -> Iterator[ProximalTerm]:
    """Yield the comparisons of parameters in what is differentiated, where one side alone is trained by the step."""
    seen = _Story()
    for event in story:
        if isinstance(event, Recorded):
            seen.compute(event)
        elif isinstance(event, BackwardRun) and event.how == "backward":
            seen.waiting[event.node] = event
        elif isinstance(event, OptimizerStepped):
            yield from seen.step(event)
