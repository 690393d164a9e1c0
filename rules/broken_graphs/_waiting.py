"""Backwards whose gradients wait for a step."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradlint.domain import NO, YES, Memories, Memory, Syntax, memories
from gradlint.events import BackwardRun


@dataclass
class Waiting:
    """A backward whose gradients are waiting: who has stepped since."""

    event: BackwardRun
    leaves: frozenset[Memory]
    stepped: frozenset[Memory] = field(default_factory=frozenset)


@dataclass
class Queue:
    """Backwards whose gradients are waiting, by the leaves that these are of and who has stepped since: those that have
    both in common are gone over together."""

    _waiting: dict[Memories, dict[Memories, dict[Syntax, BackwardRun]]] = field(default_factory=dict)
    _of: dict[Memory, dict[Memories, None]] = field(default_factory=dict)
    _at: dict[Syntax, Memories] = field(default_factory=dict)

    def add(self, event: BackwardRun) -> None:
        """Let the gradients of a backward wait, instead of those that the same place gave before."""
        self.drop(event)
        leaves = self._at[event.node] = led_to(event)
        self._waiting.setdefault(leaves, {}).setdefault(frozenset(), {})[event.node] = event
        for memory in leaves:
            self._of.setdefault(memory, {})[leaves] = None

    def drop(self, event: BackwardRun) -> None:
        """Forget what waits at the place of a backward."""
        for together in self._waiting.get(self._at.pop(event.node, frozenset()), {}).values():
            together.pop(event.node, None)

    def step(self, now: Memories) -> None:
        """Step these parameters, beside those that have been stepped: a loss may train what several optimizers hold.
        Where nobody knows which (none), they may be all, and nothing waits any longer."""
        if not now:
            self._waiting, self._of, self._at = {}, {}, {}
        for leaves in self._with_one_of(now):
            states = self._waiting[leaves]
            for stepped in [stepped for stepped in states if not now <= stepped]:
                together = states.pop(stepped)
                states.setdefault(stepped | now, {}).update(together)

    def wasted(self, cleared: Memories) -> list[tuple[Waiting, Memories]]:
        """Return the backwards that wait, that others were stepped by, and that are cleared now, with their leaves."""
        found: list[tuple[Waiting, Memories]] = []
        for leaves in self._with_one_of(cleared):
            for stepped, together in self._waiting[leaves].items():
                if stepped and (wasted := cleared & leaves - stepped):
                    found += [(Waiting(event, leaves, stepped), wasted) for event in together.values()]
        return found

    def _with_one_of(self, some: Memories) -> dict[Memories, None]:
        return {leaves: None for memory in some for leaves in self._of.get(memory, ())}


def led_to(event: BackwardRun) -> Memories:
    """The leaves that a backward may reach, whatever is detached by what is not followed; none that all paths which are
    shown have frozen."""
    asking = [leaf.requires_grad.possibly(YES) or not leaf.requires_grad.possibly(NO) for leaf in event.leaves]
    return memories(leaf for index, leaf in enumerate(event.leaves) if asking[index] and not event.loose >> index & 1)
