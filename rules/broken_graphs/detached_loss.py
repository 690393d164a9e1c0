"""A loss all of whose parts were detached has no graph to differentiate.

## Why it happens

`detach()`, `.data` and the way through NumPy give the same numbers without their history. That is
right for a target, a teacher or what is logged. Where the prediction itself is detached and nothing else
in the loss depends on parameters, the loss starts a history of its own.

## What it costs

`backward()` raises `RuntimeError`.

## When it is right to ignore it

Never known to be. Where another term of the loss still depends on parameters, as with stop-gradients,
nothing is reported.
"""

from __future__ import annotations

from gradlint.events import BackwardRun
from gradlint.rule import Findings, Raises, Rule

from ._cutting import DETACHED, root_cut_by

rule = Rule(
    "GRD602",
    "detached-loss",
    "{name} depends on detached tensors alone and has no graph to differentiate; leave out the {cut} of the prediction",
    help="detach only what is to be held constant: targets, teachers, what is logged",
    tokens=("detach", "detach_", "data", "numpy"),
)
consequence = Raises(RuntimeError, "does not require grad and does not have a grad_fn")


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    yield from root_cut_by(rule, DETACHED, event, "the graph was left here")


@rule.bad
def prediction_detached():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    prediction = model(torch.ones(4, 2)).detach()
    loss = (prediction - 1).pow(2).mean()
    loss.backward()  # GRD602
    return model


@rule.good(cures=prediction_detached)
def prediction_attached():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    prediction = model(torch.ones(4, 2))
    loss = (prediction - 1).pow(2).mean()
    loss.backward()
    return model


@rule.bad
def loss_by_way_of_numpy():
    import numpy as np
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    errors = np.abs(model(torch.ones(4, 2)).detach().numpy())
    loss = torch.from_numpy(errors).mean()
    loss.backward()  # GRD602
    return model


@rule.good(cures=loss_by_way_of_numpy)
def loss_of_torch_alone():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    errors = torch.abs(model(torch.ones(4, 2)))
    loss = errors.mean()
    loss.backward()
    return model
