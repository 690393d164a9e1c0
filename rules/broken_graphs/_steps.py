"""The step that uses the gradients of each backward, and the gradients that nobody uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gradlint.domain import Memory, Syntax, memories
from gradlint.events import BackwardRun, Event, GradientsCleared, OptimizerStepped


@dataclass
class Stepped:
    """Backwards of which an optimizer alone has used the gradients: by which step, what it trains, and the leaves whose
    gradients nobody has cleared, stepped or added to since. `left` are those who wait for that by leaf, `at` by place.
    """

    steps: dict[BackwardRun, OptimizerStepped] = field(default_factory=dict)
    strange: dict[BackwardRun, set[Memory]] = field(default_factory=dict)
    trained: dict[BackwardRun, frozenset[Memory]] = field(default_factory=dict)
    left: dict[Memory, dict[BackwardRun, None]] = field(default_factory=dict)
    at: dict[Syntax, list[BackwardRun]] = field(default_factory=dict)

    def take(self, run: BackwardRun, step: OptimizerStepped, now: frozenset[Memory]) -> None:
        """This step is the first that uses what the backward filled."""
        self.steps[run], self.trained[run], self.strange[run] = step, now, set(memories(run.leaves) - now)
        self.at.setdefault(run.node, []).append(run)
        for memory in self.strange[run]:
            self.left.setdefault(memory, {})[run] = None

    def step(self, now: frozenset[Memory]) -> None:
        """A step uses what is left, but for that of an optimizer that steps by the same."""
        for memory in now:
            for run in [run for run in self.left.get(memory, ()) if not now <= self.trained[run]]:
                self.strange[run].discard(memory)
                del self.left[memory][run]

    def end(self, runs: Iterable[BackwardRun]) -> None:
        """Forget what these have left: it is no longer what they have filled."""
        for run in runs:
            for memory in self.strange[run]:
                self.left[memory].pop(run, None)


def next_steps(story: Sequence[Event]) -> dict[BackwardRun, tuple[OptimizerStepped, frozenset[Memory]]]:
    """Return, for each backward whose gradients one optimizer alone uses, that step, and the leaves whose gradients are
    cleared or added to before another does."""
    found = Stepped()
    waiting: BackwardRun | None = None
    for event in story:
        if isinstance(event, BackwardRun) and event.how == "backward":
            found.end(found.at.pop(event.node, ()))
            waiting = event
        elif isinstance(event, OptimizerStepped):
            found.step(now := memories(event.parameters))
            if waiting is not None and now & memories(waiting.leaves):
                found.take(waiting, event, now)
                waiting = None
        elif isinstance(event, GradientsCleared):
            for memory in memories(event.parameters):
                found.end([*found.left.get(memory, ())])
    return {run: (step, frozenset(found.strange[run])) for run, step in found.steps.items()}
