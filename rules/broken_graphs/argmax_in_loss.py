"""A loss of whole numbers or truth values has no graph to differentiate.

## Why it happens

`argmax`, comparisons, `long()` and `one_hot` give whole numbers or booleans. They jump where their input
moves, have no derivative, and autograd records nothing. Converting back by `float()` gives a tensor that
begins a new history: a loss computed from the predicted classes instead of the scores is constant for autograd.

## What it costs

`backward()` raises `RuntimeError`.

## When it is right to ignore it

Never known to be. Accuracies that nobody differentiates, masks that multiply what has a gradient, and
straight-through estimators are not reported: their root has a graph. A number of this kind that is added to a loss
is, though torch says nothing: it changes the loss and not the gradient.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import CutKind
from gradlint.events import BackwardRun, ModuleFinished
from gradlint.rule import Findings, Raises, Rule

from ._cutting import added, root_cut_by, roots_cut_on_one_path, spelled, terms_cut_by

rule = Rule(
    "GRD604",
    "argmax-in-loss",
    "{name} depends on its parameters only through {cut}, which has no derivative",
    help="use a loss of scores or probabilities, as `cross_entropy` is",
    tokens=("backward", "grad"),
)
consequence = Raises(RuntimeError, "does not require grad and does not have a grad_fn")


def trains_nothing(returned: Any, cured: Any) -> bool:
    """The gradient is not what it is where the term counts."""
    return returned.grad is None or not returned.grad.equal(cured.grad)


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    yield from root_cut_by(rule, CutKind.OPERATION, event, "has no derivative, so the graph ends here")


@rule.on(ModuleFinished)
def check_one_path(end: ModuleFinished) -> Findings:
    """The loss has no graph on the path that comes by a cut, and backward is called on both."""
    yield from roots_cut_on_one_path(rule, CutKind.OPERATION, end, "has no derivative, so the graph ends here")


@rule.on(ModuleFinished)
def check_term(end: ModuleFinished) -> Findings:
    """One term of the loss has no graph, and nothing is trained by it."""
    for mark, event in terms_cut_by(CutKind.OPERATION, end):
        yield added(rule.at(mark.node, name="a term of the loss", cut=spelled(mark)), event)


@rule.bad
def loss_of_predicted_classes():
    import torch
    import torch.nn.functional as F
    from torch import nn

    model = nn.Linear(2, 3)
    predicted = model(torch.ones(4, 2)).argmax(1).float()
    loss = F.mse_loss(predicted, torch.ones(4))
    loss.backward()  # GRD604
    return model


@rule.good(cures=loss_of_predicted_classes)
def loss_of_scores():
    import torch
    import torch.nn.functional as F
    from torch import nn

    model = nn.Linear(2, 3)
    scores = model(torch.ones(4, 2))
    loss = F.cross_entropy(scores, torch.ones(4, dtype=torch.long))
    loss.backward()
    return model


@rule.bad
def share_above_a_threshold():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    loss = (model(torch.ones(4, 2)) > 0.5).float().mean()
    loss.backward()  # GRD604
    return model


@rule.good(cures=share_above_a_threshold)
def smooth_share_above_a_threshold():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    loss = torch.sigmoid(10 * (model(torch.ones(4, 2)) - 0.5)).mean()
    loss.backward()
    return model


@rule.bad(shows=trains_nothing)
def accuracy_as_a_term():
    import torch
    import torch.nn.functional as F
    from torch import nn

    model = nn.Linear(2, 3)
    scores, classes = model(torch.ones(4, 2)), torch.tensor([0, 1, 2, 0])
    wrong = (scores.argmax(1) != classes).float().mean()  # GRD604
    loss = F.cross_entropy(scores, classes) + wrong
    loss.backward()
    return model.weight


@rule.good(cures=accuracy_as_a_term)
def margin_as_a_term():
    import torch
    import torch.nn.functional as F
    from torch import nn

    model = nn.Linear(2, 3)
    scores, classes = model(torch.ones(4, 2)), torch.tensor([0, 1, 2, 0])
    wrong = F.multi_margin_loss(scores, classes)
    loss = F.cross_entropy(scores, classes) + wrong
    loss.backward()
    return model.weight
