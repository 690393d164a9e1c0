"""What runs under `no_grad` is not trained, although its parameters are in the optimizer.

## Why it happens

A part of the model computed with gradients off gives its successors a constant. The loss has a graph
through everything else, `backward()` works, and the parameters of that part get no gradient. The
optimizer that holds them skips them at each step.

## What it costs

Silently, a part that was to be trained keeps its random or pretrained values.

## When it is right to ignore it

A frozen backbone or teacher, which is what such code is mostly for. To hand its parameters to the
optimizer as well does no harm; it is only misleading. Parts that are also computed with gradients on,
or whose parameters do not require grad, are not reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlint.domain import FRESH, MIXED, NO, NONE, YES, Graph, Tensor
from gradlint.events import ModuleFinished, OptimizerStepped, Recorded
from gradlint.rule import Findings, Rule

from ._without_graph import MODE_WORDS

rule = Rule(
    "GRD411",
    "partial-no-grad-branch",
    "parameters are used only with gradients disabled, so the optimizer never updates them",
    help="enable gradients here, or leave the parameters out of the optimizer",
    effect="wrong result",
    default=False,
    tokens=MODE_WORDS,
)


def consequence(returned: Any) -> bool:
    """The weight has no gradient after the backward."""
    return returned.grad is None


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    off: dict[Graph, Recorded] = {}
    on: set[Graph] = set()
    idle: dict[Graph, OptimizerStepped] = {}
    for happened in event.story:
        if isinstance(happened, Recorded):
            if happened.grad_mode <= NO and happened.result.requires_grad <= NO:
                for place in _trainable(happened.operands):
                    off.setdefault(place, happened)
            else:
                on |= {ref.key for operand in happened.operands for ref in operand.storage}
        elif isinstance(happened, OptimizerStepped) and any(
            one.grad.possibly(FRESH | MIXED) for one in happened.parameters
        ):
            without = tuple(one for one in happened.parameters if one.grad <= NONE)
            idle |= dict.fromkeys(_trainable(without), happened)
    for place, step in idle.items():
        if place in off and place not in on:
            used = off[place]
            draft = rule.at(used.node).note(step.node, "stepped here, without a gradient for them")
            yield draft.resting_on(used, step)


def _trainable(tensors: tuple[Tensor, ...]) -> Iterator[Graph]:
    """Yield the origins of the memory of those that are parameters and require grad."""
    for tensor in tensors:
        if tensor.parameter <= YES and tensor.requires_grad <= YES:
            yield from (ref.key for ref in tensor.storage)


@rule.bad
def encoder_without_gradients():
    import torch
    from torch import nn

    encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
    with torch.no_grad():
        hidden = encoder(torch.ones(1, 2))  # GRD411
    head(hidden).sum().backward()
    optimizer.step()
    return encoder.weight


@rule.good(cures=encoder_without_gradients)
def encoder_with_gradients():
    import torch
    from torch import nn

    encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
    hidden = encoder(torch.ones(1, 2))
    head(hidden).sum().backward()
    optimizer.step()
    return encoder.weight
