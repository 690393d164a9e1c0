"""A loss all of whose parts were detached has no graph to differentiate.

## Why it happens

`detach()`, `.data` and the way through NumPy give the same numbers without their history, and so does
`state_dict()`: a penalty on the weights goes over `parameters()`. That is right for a target, a teacher
or what is logged. Where the prediction itself is detached and nothing else
in the loss depends on parameters, the loss starts a history of its own.

## What it costs

`backward()` raises `RuntimeError`.

## When it is right to ignore it

Never known to be. Where another term of the loss still depends on parameters torch says nothing, and a term that is
computed from detached tensors alone trains nothing. What is detached as it is added, as with stop-gradients, is not
reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import CutKind
from gradlint.events import BackwardRun, ModuleFinished
from gradlint.rule import Findings, Raises, Rule

from ._cutting import added, root_cut_by, roots_cut_on_one_path, spelled, terms_cut_by

rule = Rule(
    "GRD602",
    "detached-loss",
    "{name} depends only on detached tensors and has no graph to differentiate",
    help="leave out the {cut} of the prediction: detach only targets",
    yields_to=("GRD911",),
    tokens=("detach", "detach_", "data", "numpy", "state_dict"),
)
STATE_DICT = "state_dict"
NAMED = "take the weights from `named_parameters()`: those of a state dict are detached"
consequence = Raises(RuntimeError, "does not require grad and does not have a grad_fn")


def trains_nothing(returned: Any, cured: Any) -> bool:
    """The gradient is not what it is where the term counts."""
    return returned.grad is None or not returned.grad.equal(cured.grad)


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    yield from root_cut_by(rule, CutKind.DETACHED, event, "the graph was left here")


@rule.on(ModuleFinished)
def check_one_path(end: ModuleFinished) -> Findings:
    """The loss has no graph on the path that comes by a cut, and backward is called on both."""
    yield from roots_cut_on_one_path(rule, CutKind.DETACHED, end, "the graph was left here")


@rule.on(ModuleFinished)
def check_term(end: ModuleFinished) -> Findings:
    """One term of the loss has no graph, and nothing is trained by it."""
    for mark, event in terms_cut_by(CutKind.DETACHED, end):
        draft = added(rule.at(mark.node, name="a term of the loss", cut=spelled(mark)), event)
        yield draft.advising(NAMED) if mark.by == STATE_DICT else draft


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


@rule.bad(shows=trains_nothing)
def decay_of_data():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    loss = model(torch.ones(4, 2)).pow(2).mean()
    decay = model.weight.data.pow(2).sum()  # GRD602
    loss = loss + 0.5 * decay
    loss.backward()
    return model.weight


@rule.good(cures=decay_of_data)
def decay_of_weights():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    loss = model(torch.ones(4, 2)).pow(2).mean()
    decay = model.weight.pow(2).sum()
    loss = loss + 0.5 * decay
    loss.backward()
    return model.weight
