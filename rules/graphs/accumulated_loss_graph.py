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

from gradlint.domain import YES
from gradlint.events import ModuleFinished
from gradlint.rule import Findings, Grows, Rule, quoted

from ._kept import finished, is_attribute, kept_in_vain, name_of, sums, what

rule = Rule(
    "GRD501",
    "accumulated-loss-graph",
    "{name} keeps {kept} of every iteration alive",
    help="add `loss.item()` or `loss.detach()`",
    effect="memory",
)
consequence = Grows()


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    for found in kept_in_vain(sums(event), event):
        name = name_of(found)
        if not is_attribute(name):
            draft = rule.at(found[0].node, name=quoted(name, "the sum"), kept=what(found))
            # where nothing is differentiated it is better to record nothing
            yield finished(draft, found, event, "safe" if all(one.freed <= YES for one in found) else "unsafe")


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
