"""A graph can be differentiated once, unless the first backward is told to keep it.

## Why it happens

The nodes of a graph hold what their derivatives need, which is most of the memory of a training step. `backward()`
and `autograd.grad()` let go of it while they walk through, so the second walk over the same part of the graph finds
nothing. Two losses that come from one forward pass share the part below the point where they part: after the first
backward that part is gone for both. A graph in which nothing was saved (sums, products with numbers, reshapes) can be
walked as often as one likes. A closure that an optimizer is handed is run as often as it likes (`LBFGS` does so up to
twenty times in a step): what is to be differentiated must be computed inside it.

## What it costs

The second `backward()` raises `RuntimeError`.

## When it is right to ignore it

Never where it is reported: a node that saved something was certainly freed before this backward.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.domain import NO, YES, CauseKind, Function, Syntax
from gradlint.events import BackwardRun, Event, ModuleFinished, OptimizerStepped, Recorded, StateLoaded, WrittenInPlace
from gradlint.rule import Draft, Edit, Findings, Raises, Rule

from ._returning import CALLS, freed

rule = Rule(
    "GRD503",
    "second-backward",
    "{call} goes through a graph that an earlier backward has freed",
    help="add the losses and differentiate once, or pass `retain_graph=True` to the earlier call",
    yields_to=("GRD505", "GRD508"),
    tokens=("backward", "grad"),
)
consequence = Raises(RuntimeError, "Trying to backward through the graph a second time")

INSIDE = "compute the prediction inside the closure, which clears the gradients and returns the loss"


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    computed = _computed_in_closures(end)
    runs = [(number, event) for number, event in enumerate(end.story) if isinstance(event, BackwardRun)]
    failing = {event.node for _, event in runs if freed(event)}
    for number, event in runs:
        if event.expected or event.after_error or not (found := freed(event)):
            continue
        node, mark = found
        outside = node.at not in computed.get(event.run, {node.at})
        draft = rule.at(event.node, call=CALLS[event.how]).resting_on(event)
        if mark.node is not event.node:
            draft = draft.note(mark.node, "freed here")
        if outside:
            yield draft.note(node.at, "computed here, outside of the closure").advising(INSIDE)
            continue
        draft = draft.note(node.at, "shared part of the graph, computed here")
        before = [earlier for earlier, one in runs if earlier < number and one.node is mark.node]
        alone = mark.node not in failing and _freed_by(event) == {mark.node}
        yield _cured(draft, end.story[before[-1] : number + 1]) if before and alone else draft


def _computed_in_closures(end: ModuleFinished) -> dict[int, set[Syntax]]:
    """Return, for each run of a closure of an optimizer, and of what it calls, the places of operations in all."""
    steps = (event for event in end.story if isinstance(event, OptimizerStepped))
    closures = {step.closure.node for step in steps if isinstance(step.closure, Function)}
    computed: dict[int, set[Syntax]] = {}
    for run in end.runs:
        if run.function is not None and run.function.node in closures:
            computed[run.index] = set()
        elif run.parent in computed:
            computed[run.index] = computed[run.parent]
    for event in end.story:
        if isinstance(event, Recorded) and event.run in computed:
            computed[event.run].add(event.node)
    return computed


def _freed_by(event: BackwardRun) -> set[Syntax]:
    return {mark.node for node in event.modified_nodes for mark in node.causes if mark.kind == CauseKind.FREED}


def _cured(draft: Draft, story: Sequence[Event]) -> Draft:
    """Differentiate the sum, where the two stand together, or keep the graph if nothing is written in between."""
    first, second = story[0], story[-1]
    assert isinstance(first, BackwardRun) and isinstance(second, BackwardRun)
    if (first.run, first.conditions, first.later) != (second.run, second.conditions, second.later):
        return draft
    if _is_plain(first) and _is_plain(second) and first.name != second.name:
        summed = Edit("replace", second.of, f"({first.name} + {second.name})")
        draft = draft.fix(Edit("delete", first.node, to=second.node), summed, safety="unsafe")
    if any(isinstance(event, OptimizerStepped | StateLoaded | WrittenInPlace) for event in story):
        return draft
    return draft.fix(Edit("set keyword", first.node, "retain_graph", "True"), safety="unsafe")


def _is_plain(event: BackwardRun) -> bool:
    """Return whether one scalar that has a name is differentiated by all leaves."""
    of_name = event.how == "backward" and event.of is not None and event.name.isidentifier()
    return of_name and event.gradient <= NO and event.inputs is None and event.root.scalar <= YES


@rule.bad
def two_losses_with_a_common_part():
    import torch

    weight = torch.zeros(3, requires_grad=True)
    hidden = weight.exp()
    first, second = hidden.sum(), (hidden * 2).sum()
    first.backward()
    second.backward()  # GRD503
    return weight


@rule.good(cures=two_losses_with_a_common_part)
def the_sum_of_the_losses():
    import torch

    weight = torch.zeros(3, requires_grad=True)
    hidden = weight.exp()
    first, second = hidden.sum(), (hidden * 2).sum()
    (first + second).backward()
    return weight


@rule.bad
def features_computed_before_the_loop():
    import torch
    from torch import nn

    encoder, head = nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)  # GRD721
    features = encoder(torch.ones(16, 4))
    for _ in range(3):
        optimizer.zero_grad()
        head(features).mean().backward()  # GRD503
        optimizer.step()
    return head


@rule.good(cures=features_computed_before_the_loop)
def features_cut_off_before_the_loop():
    import torch
    from torch import nn

    encoder, head = nn.Sequential(nn.Linear(4, 8), nn.ReLU()), nn.Linear(8, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    features = encoder(torch.ones(16, 4)).detach()
    for _ in range(3):
        optimizer.zero_grad()
        head(features).mean().backward()
        optimizer.step()
    return head


@rule.bad
def gradient_asked_for_before_backward():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.ones(3, 2, requires_grad=True)
    energy = model(x).sum()
    (force,) = torch.autograd.grad(energy, x)
    energy.backward()  # GRD503
    return force


@rule.good(cures=gradient_asked_for_before_backward)
def gradient_asked_for_with_the_graph_kept():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.ones(3, 2, requires_grad=True)
    energy = model(x).sum()
    (force,) = torch.autograd.grad(energy, x, retain_graph=True)
    energy.backward()
    return force


@rule.bad
def closure_around_a_loss_computed_before():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)
    x, y = torch.rand(8, 2), torch.rand(8, 1)
    loss = nn.functional.mse_loss(model(x), y)

    def closure():
        optimizer.zero_grad()
        loss.backward()  # GRD503
        return loss

    optimizer.step(closure)
    return model


@rule.good(cures=closure_around_a_loss_computed_before)
def closure_that_computes_the_loss():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)
    x, y = torch.rand(8, 2), torch.rand(8, 1)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        return loss

    optimizer.step(closure)
    return model
