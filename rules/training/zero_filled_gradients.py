"""`zero_grad(set_to_none=False)` keeps every gradient in memory, filled with zeros.

## Why it happens

By default `zero_grad()` lets go of the gradients (since torch 2.0; before, zeros were the default), and
the next backward puts new ones in their place. Told `set_to_none=False` it writes zeros into the old
ones, which stay where they are, and the next backward reads them to add to them.

## What it costs

One more write and one more read of all gradients in each iteration, and the memory of all gradients
during the forward pass, when the activations need it most. It also changes what a step does to
parameters that got no gradient: zeros are a gradient, so momentum and weight decay go on moving them,
while None lets the optimizer skip them.

## When it is right to ignore it

Where code reads `.grad` of every parameter and takes no None, or where gradients must stay at their
place in memory (captured graphs of a GPU). Findings in files that read gradients are believed least.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, ClearKind
from gradlint.events import GradientRead, GradientsCleared, ModuleFinished
from gradlint.rule import CERTAIN, POSSIBLE, Edit, Findings, Rule, quoted

from ._protocol import places

rule = Rule(
    "GRD722",
    "zero-filled-gradients",
    "`set_to_none=False` keeps the gradients of {name} in memory as zeros",
    help="call `zero_grad()` without it",
    effect="memory",
    default=False,
    tokens=("zero_grad",),
    since=(2, 0),
    source="pull request 92731, released with 2.0",
)


def consequence(returned: Any) -> bool:
    """Gradients are still there."""
    return any(parameter.grad is not None for parameter in returned.parameters())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    cleared = [
        one
        for one in event.story
        if type(one) is GradientsCleared and one.by in (ClearKind.OPTIMIZER, ClearKind.MODULE)
    ]
    read = any(type(one) is GradientRead and not one.guard for one in event.story)
    for node, found in places(cleared, GradientsCleared).items():
        if all(one.to_none <= NO for one in found):
            name = found[0].name
            draft = rule.at(node, name=quoted(name, "the parameters"))
            draft = draft.resting_on(*found).lowered(
                POSSIBLE if read else CERTAIN, "the file reads gradients, which are then zeros and not `None`"
            )
            yield draft.fix(Edit("replace", node, f"{name}.zero_grad()"), safety="unsafe") if name else draft


@rule.bad
def gradients_filled_with_zeros():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)  # GRD722
    return model


@rule.good(cures=gradients_filled_with_zeros)
def gradients_let_go():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return model
