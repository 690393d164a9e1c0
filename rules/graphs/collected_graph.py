"""A list of results that carry their graphs keeps every one of them alive.

## Why it happens

A tensor computed under autograd refers to the graph it came from, and the graph to all that its backward would need.
Put into a list that outlives the iteration, each result keeps its own graph and, before a backward has been through,
the activations of its whole forward pass. If the list is only averaged, printed or compared, nobody differentiates
any of them. A tensor is such a list as well: `losses[step] = loss` is recorded on top of the write before, and refers
to the graph of `loss`.

## What it costs

The memory of a forward pass for each iteration; of a loss that has been differentiated, its graph's nodes.

## When it is right to ignore it

Where code that is not shown differentiates what the list holds. Lists that are stacked or summed for a backward, and
lists that are returned or handed on before a backward has been through their elements, are not reported. What is put
under an index of a list, which is then no longer than before, is a possible finding: the list may be short. What a
loop over the parts of a network collects, its layers or parameters, is no more than these are.
"""

from __future__ import annotations

from gradlint.events import ModuleFinished, Stored
from gradlint.rule import POSSIBLE, Findings, Grows, Rule, quoted

from ._kept import Kept, finished, is_attribute, kept_in_vain, piles, what

rule = Rule(
    "GRD502",
    "collected-graph",
    "{name} keeps {kept} of every iteration alive",
    help="store `value.detach()`, or run the loop under `torch.no_grad()`",
    effect="memory",
)
consequence = Grows()


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    for found in kept_in_vain(piles(event), event):
        name = found[0].name
        if not is_attribute(name) and not all(_is_bounded(one) for one in found):
            draft = rule.at(found[0].node, name=quoted(name, "the container"), kept=what(found))
            draft = finished(draft, found, event, "unsafe")
            yield (
                draft.lowered(POSSIBLE, "what is kept may replace what was kept before")
                if all(_replaces(one) for one in found)
                else draft
            )


def _is_bounded(kept: Kept) -> bool:
    """Return whether there are no more of them than a network has parts: views, norms or features of one forward."""
    return isinstance(kept, Stored) and kept.by_part


def _replaces(kept: Kept) -> bool:
    """Return whether a list has no more elements than before: an assignment by index may be all it ever holds."""
    return isinstance(kept, Stored) and kept.replaces


@rule.bad
def predictions_collected(steps=4):
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    predictions = []
    for _ in range(steps):
        predictions.append(model(torch.ones(4, 8)))  # GRD502
    return predictions


@rule.good(cures=predictions_collected)
def detached_predictions_collected(steps=4):
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    predictions = []
    for _ in range(steps):
        with torch.no_grad():
            predictions.append(model(torch.ones(4, 8)))
    return predictions


@rule.bad
def losses_by_step(steps=4):
    import torch
    from torch import nn

    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history = {}
    for step in range(steps):
        loss = model(torch.ones(2, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history[step] = loss  # GRD502
    return history


@rule.good(cures=losses_by_step)
def numbers_by_step(steps=4):
    import torch
    from torch import nn

    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    history = {}
    for step in range(steps):
        loss = model(torch.ones(2, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history[step] = loss.item()
    return history
