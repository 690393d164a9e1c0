"""An object that keeps statistics keeps the graphs of the tensors it is given.

## Why it happens

A meter, a logger or a replay buffer lives as long as the training. A loss or an output that is handed to it as it is
brings its graph along: `self.sum += loss` extends the graph by every loss so far, `self.losses.append(loss)` keeps
each of them. The object only wants numbers, and so nothing ever differentiates what it holds.

## What it costs

Memory grows with every step until the object is reset.

## When it is right to ignore it

Where code that is not shown differentiates what the object holds. What a backward may go through later (log
probabilities of a policy, losses that are summed up) is not reported.
"""

from __future__ import annotations

from gradlint.events import ModuleFinished
from gradlint.rule import Findings, Grows, Rule

from ._kept import finished, is_attribute, kept_in_vain, piles, sums, what

rule = Rule(
    "GRD509",
    "stored-graph",
    "`{name}` keeps {kept} of every step alive",
    help="pass a number (`loss.item()`) or a detached tensor (`loss.detach()`)",
    effect="memory",
)
consequence = Grows()


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    for kept in (sums(event), piles(event)):
        for found in kept_in_vain(kept, event):
            if is_attribute(found[0].name):
                yield finished(rule.at(found[0].node, name=found[0].name, kept=what(found)), found, event, "unsafe")


@rule.bad
def loss_handed_to_a_meter(steps=4):
    import torch
    from torch import nn

    class AverageMeter:
        def __init__(self):
            self.sum, self.count = 0.0, 0

        def update(self, value):
            self.sum += value  # GRD509
            self.count += 1

    model, meter = nn.Linear(4, 1), AverageMeter()
    for _ in range(steps):
        loss = model(torch.ones(2, 4)).pow(2).mean()
        loss.backward()
        meter.update(loss)
    return meter


@rule.good(cures=loss_handed_to_a_meter)
def number_handed_to_a_meter(steps=4):
    import torch
    from torch import nn

    class AverageMeter:
        def __init__(self):
            self.sum, self.count = 0.0, 0

        def update(self, value):
            self.sum += value
            self.count += 1

    model, meter = nn.Linear(4, 1), AverageMeter()
    for _ in range(steps):
        loss = model(torch.ones(2, 4)).pow(2).mean()
        loss.backward()
        meter.update(loss.item())
    return meter


@rule.bad
def outputs_remembered(steps=4):
    import torch
    from torch import nn

    class Buffer:
        def __init__(self):
            self.values = []

        def push(self, value):
            self.values.append(value)  # GRD509

    critic, buffer = nn.Linear(4, 1), Buffer()
    for _ in range(steps):
        value = critic(torch.ones(1, 4))
        buffer.push(value)
    return buffer.values


@rule.good(cures=outputs_remembered)
def detached_outputs_remembered(steps=4):
    import torch
    from torch import nn

    class Buffer:
        def __init__(self):
            self.values = []

        def push(self, value):
            self.values.append(value.detach())

    critic, buffer = nn.Linear(4, 1), Buffer()
    for _ in range(steps):
        with torch.no_grad():
            value = critic(torch.ones(1, 4))
        buffer.push(value)
    return buffer.values
