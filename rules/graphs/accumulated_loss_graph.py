"""A running sum of losses holds the graph of every iteration until it is dropped.

## Why it happens

`total += loss` is an operation like any other: autograd records it, so that `total` could be differentiated, and
`total` then refers to the graph of each loss that went into it. If all that is wanted is a number to print, nothing
ever differentiates it, and the graphs stay for as long as `total` lives.

## What it costs

After a `backward()` in the same iteration what was saved is gone and only the graph's nodes stay, a few kilobytes for
each layer and iteration: memory creeps up over an epoch. Without a backward (a validation loop with gradients on) the
activations stay as well, and the loop runs out of memory after a few batches.

## When it is right to ignore it

Where code that is not shown differentiates the sum. One that a backward may reach, or that is handed on before any
backward has been through its parts, is never reported.
"""

from __future__ import annotations

from gradlint.domain import EVAL, YES, Syntax
from gradlint.events import GraphGrown, ModuleCalled, ModuleFinished
from gradlint.rule import Draft, Edit, Findings, Grows, Rule, believed, quoted

rule = Rule(
    "GRD501",
    "accumulated-loss-graph",
    "{name} keeps {kept} of every iteration alive although nothing differentiates it; add up `.item()` or `.detach()`",
    help="add `loss.item()`, a number, or `loss.detach()`, which does not wait for the GPU",
    effect="keeps memory",
)
consequence = Grows()

SUMS = frozenset({"add", "add_", "sub", "sub_", "lerp", "lerp_"})
"""Operations by which something is accumulated."""


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """Judge all that is accumulated at one place together."""
    places: dict[Syntax, list[GraphGrown]] = {}
    for happened in event.story:
        if isinstance(happened, GraphGrown) and happened.op in SUMS and happened.later <= YES:
            places.setdefault(happened.node, []).append(happened)
    for node, grown in places.items():
        if all(_is_kept_in_vain(one, event) for one in grown):
            spent = all(one.spent <= YES for one in grown)
            kept = "the graph" if spent else "the graph and the activations"
            draft = rule.at(node, name=quoted(grown[0].name, "this sum"), kept=kept)
            yield _cured(draft, grown[0]).lowered(max(believed(one) for one in grown))


def _is_kept_in_vain(grown: GraphGrown, end: ModuleFinished) -> bool:
    """Whether certainly no backward goes through the sum."""
    if not grown.result.requires_grad <= YES or not end.used.isdisjoint(grown.graph):
        return False
    if grown.spent <= YES:
        return True
    handed_on = not (end.escaped.isdisjoint(grown.graph) and end.returned.isdisjoint(grown.graph))
    return not handed_on and not _in_forward(grown, end) and not _in_evaluation(grown, end)


def _in_forward(grown: GraphGrown, end: ModuleFinished) -> bool:
    """Whether a module computes the sum on the way to its result."""
    return any(run.index == grown.run and run.function and run.function.name == "forward" for run in end.runs)


def _in_evaluation(grown: GraphGrown, end: ModuleFinished) -> bool:
    """Whether the same run applies a module in eval mode: then gradients are on by mistake, which is GRD401's."""
    calls = (one for one in end.story if isinstance(one, ModuleCalled) and one.run == grown.run)
    return any(call.module.mode <= EVAL for call in calls)


def _cured(draft: Draft, grown: GraphGrown) -> Draft:
    if grown.added is None:
        return draft
    return draft.fix(Edit("wrap", grown.added, after=".detach()"), safety="safe")


@rule.bad
def loss_added_up_for_the_log(steps=4):
    import torch
    from torch import nn

    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    total = 0
    for _ in range(steps):
        loss = model(torch.ones(2, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss  # GRD501
    return total


@rule.good(cures=loss_added_up_for_the_log)
def number_added_up_for_the_log(steps=4):
    import torch
    from torch import nn

    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    total = 0
    for _ in range(steps):
        loss = model(torch.ones(2, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


@rule.bad
def running_mean_of_the_loss(steps=4):
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters())
    average = torch.zeros(())
    for _ in range(steps):
        loss = model(torch.ones(2, 4)).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average = 0.9 * average + 0.1 * loss  # GRD501
    return average


@rule.good(cures=running_mean_of_the_loss)
def running_mean_of_the_detached_loss(steps=4):
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters())
    average = torch.zeros(())
    for _ in range(steps):
        loss = model(torch.ones(2, 4)).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average = 0.9 * average + 0.1 * loss.detach()
    return average
