"""A running statistic that is updated with gradients on carries every earlier graph in a buffer.

## Why it happens

`self.mean = 0.9 * self.mean + 0.1 * x.mean()` in `forward` is recorded like everything else there. The buffer then
holds a tensor with a graph, and the next forward pass goes on from it: its graph begins in the one before, which the
last backward has freed. A statistic is not meant to be differentiated; it is updated from a detached value or under
`torch.no_grad()`.

## What it costs

The backward of the second step raises "Trying to backward through the graph a second time". Where the statistic does
not reach the loss the graphs only pile up, and `copy.deepcopy(model)` fails.

## When it is right to ignore it

Where the class detaches the buffer before it is read again. A buffer that each forward pass sets before it is read is
not reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from gradlint.domain import NO, YES, Module, Ref, Tensor
from gradlint.events import AttributeAssigned, BackwardRun, Called, ModuleFinished, Recorded, Run
from gradlint.rule import Draft, Edit, Findings, Rule

rule = Rule(
    "GRD508",
    "graph-held-by-buffer",
    "buffer `{name}` keeps its graph, into which the next `backward()` goes back",
    help="update it under `with torch.no_grad():`, or from `x.detach()`",
    effect="error later",
    tokens=("register_buffer",),
)


def consequence(returned: Any) -> bool:
    """A buffer carries a graph."""
    return any(buffer.grad_fn is not None for buffer in returned.buffers())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    detached = {one.name for one in event.story if isinstance(one, Called) and one.path in DETACHING}
    spent = [one for one in event.story if isinstance(one, BackwardRun) and one.from_earlier_iteration <= YES]
    runs = {run.index: run for run in event.runs}
    computed_with: set[tuple[Ref, ...]] = set()
    for happened in event.story:
        if isinstance(happened, Recorded):
            computed_with.update(operand.storage for operand in happened.operands)
        elif isinstance(happened, AttributeAssigned) and _holds_a_graph(happened):
            name = f"{happened.name}.{happened.attr}"
            if name not in detached and not _is_made_anew(happened, runs, computed_with):
                draft = rule.at(happened.node, name=name).resting_on(happened)
                draft = draft.fix(
                    Edit("put under", happened.node, "with torch.no_grad():"), safety="unsafe", imports=("torch",)
                )
                yield _pointing(draft, spent)


def _is_made_anew(event: AttributeAssigned, runs: Mapping[int, Run], computed_with: Set[tuple[Ref, ...]]) -> bool:
    """Return whether each forward pass sets the buffer before it computes with what the pass before has left."""
    run = runs.get(event.run)
    in_forward = run is not None and run.function is not None and run.function.name == "forward"
    return in_forward and isinstance(event.old, Tensor) and event.old.storage not in computed_with


DETACHING = frozenset({"torch.Tensor.detach", "torch.Tensor.detach_"})


def _holds_a_graph(event: AttributeAssigned) -> bool:
    """Return whether a method of a module puts a tensor with a graph into a buffer of its own."""
    owner, value = event.owner, event.value
    if not (event.own and isinstance(owner, Module) and isinstance(value, Tensor)):
        return False
    return event.attr in dict(owner.buffers) and value.requires_grad <= YES and value.leaf <= NO


def _pointing(draft: Draft, spent: list[BackwardRun]) -> Draft:
    for run in spent:
        draft = draft.note(run.node, "goes back into the graph of an earlier iteration")
    return draft


@rule.bad
def running_mean_with_its_graph():
    import torch
    from torch import nn

    class Centered(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.register_buffer("mean", torch.zeros(2))

        def forward(self, x):
            hidden = self.linear(x).tanh()
            self.mean = 0.9 * self.mean + 0.1 * hidden.mean(0)  # GRD508
            return hidden - self.mean

    model = Centered()
    model(torch.ones(3, 2)).sum().backward()
    return model


@rule.good(cures=running_mean_with_its_graph)
def running_mean_of_detached_values():
    import torch
    from torch import nn

    class Centered(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.register_buffer("mean", torch.zeros(2))

        def forward(self, x):
            hidden = self.linear(x).tanh()
            self.mean = 0.9 * self.mean + 0.1 * hidden.detach().mean(0)
            return hidden - self.mean

    model = Centered()
    model(torch.ones(3, 2)).sum().backward()
    return model
