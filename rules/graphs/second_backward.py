"""A graph can be differentiated once, unless the first backward is told to keep it.

## Why it happens

The nodes of a graph hold what their derivatives need, which is most of the memory of a training step. `backward()`
and `autograd.grad()` let go of it while they walk through, so the second walk over the same part of the graph finds
nothing. Two losses that come from one forward pass share the part below the point where they part: after the first
backward that part is gone for both. A graph in which nothing was saved (sums, products with numbers, reshapes) can be
walked as often as one likes.

## What it costs

The second `backward()` raises `RuntimeError`.

## When it is right to ignore it

Never where it is reported: a node that saved something was certainly freed before this backward.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.domain import NO, YES, Syntax
from gradlint.events import BackwardRun, Event, ModuleFinished, OptimizerStepped, StateLoaded, WrittenInPlace
from gradlint.rule import Draft, Edit, Findings, Raises, Rule, believed

from ._returning import CALLS, freed

rule = Rule(
    "GRD503",
    "second-backward",
    "{call} goes through a graph that an earlier backward has freed; add the losses up and differentiate once",
    help="differentiate the sum of the losses, or give the earlier call `retain_graph=True`",
    yields_to=("GRD505", "GRD508"),
    tokens=("backward", "grad"),
)
consequence = Raises(RuntimeError, "Trying to backward through the graph a second time")


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    runs = [(number, event) for number, event in enumerate(end.story) if isinstance(event, BackwardRun)]
    failing = {event.node for _, event in runs if freed(event)}
    for number, event in runs:
        if event.expected or event.behind or not (found := freed(event)):
            continue
        node, mark = found
        draft = rule.at(event.node, call=CALLS[event.how]).lowered(believed(event))
        if mark.node is not event.node:
            draft = draft.note(mark.node, "freed here")
        draft = draft.note(node.at, "this part of the graph is shared")
        before = [earlier for earlier, one in runs if earlier < number and one.node is mark.node]
        alone = mark.node not in failing and _freed_by(event) == {mark.node}
        yield _cured(draft, end.story[before[-1] : number + 1]) if before and alone else draft


def _freed_by(event: BackwardRun) -> set[Syntax]:
    return {mark.node for node in event.spoiled for mark in node.marks if mark.how == "freed"}


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
    """Whether one scalar that has a name is differentiated by all leaves."""
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
