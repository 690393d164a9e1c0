"""A reentrant checkpoint of inputs that require no grad gives no gradients to its parameters.

## Why it happens

The reentrant kind of checkpoint runs the function without recording and enters one operation in
the graph, whose inputs are the arguments. Whether the result requires grad is decided by the arguments that are
handed over by themselves; the parameters of the function are not among them. With plain data, the
output of a frozen part or tensors inside a list the result requires no grad, and backward stops
before the checkpoint. The other kind records as usual. Up to torch 2.13 the reentrant kind is what
leaving `use_reentrant` out means, with a warning.

## What it costs

The parameters inside are never trained. torch warns `None of the inputs have requires_grad=True`, once.

## When it is right to ignore it

In inference. Under `torch.no_grad()` and for frozen modules nothing is reported, and nothing where the
file does not show whether an input requires grad.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, Belief, Function
from gradlint.events import Checkpointed
from gradlint.rule import CERTAIN, LIKELY, Edit, Findings, Question, Rule

rule = Rule(
    "GRD912",
    "reentrant-checkpoint",
    "the reentrant checkpoint has no input that requires grad: its parameters get no gradient",
    help="pass `use_reentrant=False`",
    effect="wrong result",
    tokens=("checkpoint",),
)
LEFT_OUT = "pass `use_reentrant=False`, which is not the default"


def consequence(returned: Any) -> bool:
    """No parameter of the checkpointed module got a gradient."""
    return all(parameter.grad is None for parameter in returned.parameters())


@rule.on(Checkpointed)
def check(event: Checkpointed) -> Findings:
    if not (event.reentrant <= YES and event.inputs <= NO and event.grad_mode <= YES):
        return
    of_program = isinstance(event.function, Function)
    if event.parameters <= YES or of_program:
        draft = rule.at(event.node)
        draft = draft if event.told else draft.advising(LEFT_OUT)
        draft = draft.fix(Edit("set keyword", event.node, "use_reentrant", "False"), safety="unsafe")
        yield draft.lowered(
            LIKELY if of_program or event.belief > Belief.ANNOTATED else CERTAIN,
            "the function may be given an input that requires grad",
            Question.TORCH,
        )


@rule.bad
def images_through_a_reentrant_checkpoint():
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    stem, head = nn.Linear(4, 4), nn.Linear(4, 1)
    hidden = checkpoint(stem, torch.ones(2, 4), use_reentrant=True)  # GRD912
    head(hidden).sum().backward()
    return stem


@rule.good(cures=images_through_a_reentrant_checkpoint)
def images_through_the_other_checkpoint():
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    stem, head = nn.Linear(4, 4), nn.Linear(4, 1)
    hidden = checkpoint(stem, torch.ones(2, 4), use_reentrant=False)
    head(hidden).sum().backward()
    return stem


@rule.bad
def adapter_behind_a_frozen_part():
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    frozen, adapter, head = nn.Embedding(10, 4), nn.Linear(4, 4), nn.Linear(4, 1)
    frozen.requires_grad_(False)
    features = frozen(torch.arange(3))
    features = checkpoint(adapter, features)  # GRD912
    head(features).sum().backward()
    return adapter


@rule.good(cures=adapter_behind_a_frozen_part)
def adapter_behind_a_frozen_part_that_asks():
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    frozen, adapter, head = nn.Embedding(10, 4), nn.Linear(4, 4), nn.Linear(4, 1)
    frozen.requires_grad_(False)
    features = frozen(torch.arange(3)).requires_grad_()
    features = checkpoint(adapter, features)
    head(features).sum().backward()
    return adapter
