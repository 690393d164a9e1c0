"""`retain_graph=True` without a second backward keeps what the first one would have freed.

## Why it happens

A backward frees the values that the graph saved while it walks through, so the peak of memory is at its beginning.
With `retain_graph=True` they stay until the loss itself is gone, usually when the next iteration has already built
its own graph: two graphs instead of one. The argument is often put there against "Trying to backward through the
graph a second time", whose cause is a state that should have been detached. Nor does it help a loss that is
differentiated after the step of an optimizer: its graph saved the weights that were stepped, kept or not.

## What it costs

Up to twice the memory of a training step.

## When it is right to ignore it

Where code that is not shown differentiates a part of the graph again. Where a later backward may come back to the
graph, nothing is reported; one on another graph, as a second forward of the same network has, is no reason to keep the
first. `retain_variables` is what the argument was called at first: torch raises on it since.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, Belief, Memory, Tensor, memories
from gradlint.events import AttributeAssigned, BackwardRun, ModuleCalled, ModuleFinished, OptimizerStepped, Run
from gradlint.rule import CERTAIN, LIKELY, POSSIBLE, Draft, Edit, Findings, Question, Raises, Rule

from ._kept import BY_NAME

rule = Rule(
    "GRD504",
    "habitual-retain-graph",
    "`{word}=True` keeps saved tensors alive that no later backward uses",
    help="leave out `retain_graph=True`, and detach what is carried over between iterations",
    effect="memory",
    yields_to=("GRD305",),
    tokens=("retain_graph", "retain_variables"),
)

IN_TIME = "differentiate each loss in the iteration that computes it, before `step()`"


def consequence(returned: Any) -> bool:
    """The loss can still be differentiated: what was saved is still there."""
    try:
        returned.backward()
    except RuntimeError:
        return False
    return True


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    runs = [event for event in end.story if isinstance(event, BackwardRun) and not event.expected]
    needed = {node for run in runs for node in run.earlier_backwards}
    stepped = _stepped_after(end)
    for run in runs:
        returned = frozenset() if id(run) in stepped else end.returned
        handed_on = not (end.escaped | returned).isdisjoint(run.graph)
        kept = run.retain <= YES and run.create_graph <= NO and run.freed <= NO
        if kept and run.node not in needed and not handed_on:
            draft = _draft(run).resting_on(run)
            if not end.read_by_name.isdisjoint(run.graph):
                draft = draft.lowered(LIKELY, BY_NAME)
            yield draft.lowered(
                CERTAIN if _is_habitual(run, runs, end) else POSSIBLE,
                "the graph may be needed by code that nobody sees",
            )


def _draft(run: BackwardRun) -> Draft:
    """The finding; of a loss whose graph may have been written to since, leaving the argument out is no cure."""
    word = "retain_variables" if run.renamed else "retain_graph"
    draft = rule.at(run.node, word=word)
    if run.stale.possibly(YES):
        return (
            draft.advising(IN_TIME)
            .doing("error")
            .lowered(LIKELY, "the graph was written to on some way", Question.TORCH)
        )
    draft = draft.lowered(
        LIKELY if run.stale.may(YES) else CERTAIN, "the graph may have been written to", Question.TORCH
    )
    draft = draft.doing("error") if run.renamed else draft
    return draft.fix(Edit("drop keyword", run.node, word), safety="unsafe")


def _is_habitual(run: BackwardRun, runs: list[BackwardRun], end: ModuleFinished) -> bool:
    """Return whether it happens again and again, and no backward comes back to its graph by ways that the file does not
    show."""
    outermost = _outermost(end.runs)
    beside = [other for other in runs if outermost[other.run] == outermost[run.run]]
    if run.opaque or not all(_is_shown(other) for other in beside):
        return False
    looped = any(other.later <= YES for other in runs if other.node is run.node)
    if looped and len(beside) == len(runs):
        return True
    return (looped or _steps_own_loss(run, end)) and not _graphs_on_objects(end)


def _outermost(runs: tuple[Run, ...]) -> dict[int, int]:
    """The run by which each began that nobody in the file called."""
    found: dict[int, int] = {0: 0}
    for run in runs:
        found[run.index] = found.get(run.parent, run.index) if run.caller is not None else run.index
    return found


def _is_shown(run: BackwardRun) -> bool:
    """Return whether the file shows the maker of the root; else that may have kept a part of the graph."""
    return run.root.belief <= Belief.ANNOTATED or run.made_by != ("unknown",)


def _steps_own_loss(run: BackwardRun, end: ModuleFinished) -> bool:
    """Return whether the function calls the network and steps by itself: one update, its loop is elsewhere."""
    own = [type(event) for event in end.story if event.run == run.run]
    return run.run > 1 and run.how == "backward" and ModuleCalled in own and OptimizerStepped in own


def _stepped_after(end: ModuleFinished) -> set[int]:
    """The backwards, by their identities, behind which the same run steps what they differentiated: who is given the
    loss then comes back to a graph whose weights have changed, for which keeping it is no help."""
    found: set[int] = set()
    later: dict[int, set[Memory]] = {}
    for event in reversed(end.story):
        if isinstance(event, OptimizerStepped):
            later.setdefault(event.run, set()).update(memories(event.parameters))
        elif isinstance(event, BackwardRun) and not later.get(event.run, set()).isdisjoint(memories(event.leaves)):
            found.add(id(event))
    return found


def _graphs_on_objects(end: ModuleFinished) -> bool:
    """Return whether some object keeps what carries a graph, by which another function may come back to it."""
    kept = [event.value for event in end.story if isinstance(event, AttributeAssigned)]
    return any(isinstance(value, Tensor) and value.requires_grad.may(YES) and any(value.node) for value in kept)


@rule.bad
def graph_retained_in_each_step():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    for _ in range(3):
        loss = model(torch.ones(4, 8)).pow(2).mean()
        model.zero_grad()
        loss.backward(retain_graph=True)  # GRD504
    return loss


@rule.good(cures=graph_retained_in_each_step)
def graph_freed_in_each_step():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    for _ in range(3):
        loss = model(torch.ones(4, 8)).pow(2).mean()
        model.zero_grad()
        loss.backward()
    return loss


@rule.bad(shows=Raises(RuntimeError, "modified by an inplace operation"))
def loss_of_the_iteration_before():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = None
    for _ in range(3):
        loss = model(torch.ones(4, 8)).pow(2).mean()
        if before is not None:
            optimizer.zero_grad()
            before.backward(retain_graph=True)  # GRD504
            optimizer.step()
        before = loss
    return model


@rule.good(cures=loss_of_the_iteration_before)
def loss_of_each_iteration():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(4, 8)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


@rule.bad(shows=Raises(TypeError, "retain_variables"))
def variables_retained():
    import torch
    from torch import nn

    model = nn.Linear(8, 1)
    for _ in range(3):
        loss = model(torch.ones(4, 8)).pow(2).mean()
        model.zero_grad()
        loss.backward(retain_variables=True)  # GRD504
    return loss


@rule.good(cures=variables_retained)
def variables_freed():
    import torch
    from torch import nn

    model = nn.Linear(8, 1)
    for _ in range(3):
        loss = model(torch.ones(4, 8)).pow(2).mean()
        model.zero_grad()
        loss.backward()
    return loss
