"""A loss that takes scores is handed probabilities and squashes them once more.

## Why it happens

`cross_entropy` is `nll_loss(log_softmax(x))`, and `binary_cross_entropy_with_logits` applies the sigmoid
itself. Probabilities lie between 0 and 1; their softmax is nearly uniform whatever the model says, so the loss
cannot get small, and the gradient goes through two squashings. The other activation bounds the scores as well: a
softmax of what a sigmoid gave is nearly uniform too (likely). `nll_loss` and the first argument of `kl_div` are
log-probabilities: handed probabilities, they leave out the logarithm, and `kl_div` is no divergence any more.

## What it costs

Training still runs and mostly still learns something, slower and worse: with three classes a sure and right
answer has a loss of 0.55 instead of 0, and a sure and wrong one a gradient many times smaller than it should be.

## When it is right to ignore it

Hardly ever. `log_softmax` before `cross_entropy` changes nothing and is not reported, nor are probabilities as the
second argument, where they belong.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import CauseKind, ImportPath, Syntax, Tensor
from gradlint.events import Called, ModuleCalled, Thing
from gradlint.rule import LIKELY, Edit, Findings, Rule

rule = Rule(
    "GRD614",
    "softmax-before-cross-entropy",
    "`{loss}` {takes}, but its input is the output of {activation}",
    help="pass the scores, without the activation",
    effect="wrong result",
    tokens=(
        "cross_entropy",
        "CrossEntropyLoss",
        "with_logits",
        "BCEWithLogitsLoss",
        "nll_loss",
        "NLLLoss",
        "kl_div",
        "KLDivLoss",
    ),
)

SOFTMAX = frozenset({"softmax", "Softmax", "Softmax2d"})
SIGMOID = frozenset({"sigmoid", "Sigmoid"})
FUNCTIONS = {
    "torch.nn.functional.cross_entropy": SOFTMAX,
    "torch.nn.functional.binary_cross_entropy_with_logits": SIGMOID,
    "torch.nn.functional.nll_loss": SOFTMAX,
    "torch.nn.functional.kl_div": SOFTMAX,
}
CLASSES = {
    "torch.nn.CrossEntropyLoss": SOFTMAX,
    "torch.nn.BCEWithLogitsLoss": SIGMOID,
    "torch.nn.NLLLoss": SOFTMAX,
    "torch.nn.KLDivLoss": SOFTMAX,
}
"""The losses, and what they do themselves, or take the logarithm of. Handed the output of the other activation, they
squash numbers between 0 and 1 as well."""
OF_LOGARITHMS = frozenset({"nll_loss", "NLLLoss", "kl_div", "KLDivLoss"})
BETWEEN = "another activation than the loss's own may be meant to bound the scores"


def consequence(returned: Any, cured: Any) -> bool:
    """The scores of a sure and wrong answer get a gradient that is much too small, or one of the wrong form."""
    return bool(returned.grad.norm() < 0.5 * cured.grad.norm())


@rule.on(Called, *FUNCTIONS)
def check_function(event: Called) -> Findings:
    given = event.args[0] if event.args else dict(event.keywords).get("input")
    yield from _judged(event.node, event.path, given, FUNCTIONS[event.path])


@rule.on(ModuleCalled)
def check_module(event: ModuleCalled) -> Findings:
    path = event.module.cls.path if isinstance(event.module.cls, ImportPath) else ""
    if path in CLASSES and event.args:
        yield from _judged(event.node, path, event.args[0], CLASSES[path])


def _judged(node: Syntax, path: str, given: Thing | None, own: frozenset[str]) -> Findings:
    if not isinstance(given, Tensor) or given.probability_op not in SOFTMAX | SIGMOID:
        return
    loss, activation = path.rpartition(".")[2], given.probability_op.lower().removesuffix("2d")
    logarithms = loss in OF_LOGARITHMS
    draft = rule.at(
        node,
        loss=loss,
        takes="takes log-probabilities"
        if logarithms
        else f"applies the {'softmax' if own is SOFTMAX else 'sigmoid'} itself",
        activation=f"`{given.probability_op}`",
    ).advising("use `log_softmax` instead" if logarithms else f"pass the scores, without the {activation}")
    draft = draft.marked(given.causes, squashed=f"the {activation} is applied here")
    if given.probability_op not in own:
        draft = draft.lowered(LIKELY, BETWEEN)
    made = next((mark.node for mark in given.causes if mark.kind == CauseKind.SQUASHED), None)
    fixable = logarithms and given.probability_op == "softmax" and made is not None
    yield draft.fix(Edit("rename", made, "log_softmax"), safety="unsafe") if fixable else draft


@rule.bad
def softmax_then_cross_entropy():
    import torch
    import torch.nn.functional as F

    scores = torch.tensor([[8.0, 0.0, -2.0]], requires_grad=True)
    probabilities = F.softmax(scores, dim=1)
    loss = F.cross_entropy(probabilities, torch.tensor([2]))  # GRD614
    loss.backward()
    return scores


@rule.good(cures=softmax_then_cross_entropy)
def scores_to_cross_entropy():
    import torch
    import torch.nn.functional as F

    scores = torch.tensor([[8.0, 0.0, -2.0]], requires_grad=True)
    loss = F.cross_entropy(scores, torch.tensor([2]))
    loss.backward()
    return scores


@rule.bad
def sigmoid_at_the_end_of_forward():
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.tensor([6.0]))

        def forward(self, x):
            return torch.sigmoid(self.scale * x)

    model = Classifier()
    criterion = nn.BCEWithLogitsLoss()
    loss = criterion(model(torch.ones(4)), torch.zeros(4))  # GRD614
    loss.backward()
    return model.scale


@rule.good(cures=sigmoid_at_the_end_of_forward)
def scores_at_the_end_of_forward():
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.tensor([6.0]))

        def forward(self, x):
            return self.scale * x

    model = Classifier()
    criterion = nn.BCEWithLogitsLoss()
    loss = criterion(model(torch.ones(4)), torch.zeros(4))
    loss.backward()
    return model.scale


@rule.bad
def softmax_then_nll_loss():
    import torch
    import torch.nn.functional as F

    scores = torch.tensor([[8.0, 0.0, -2.0]], requires_grad=True)
    loss = F.nll_loss(scores.softmax(dim=1), torch.tensor([2]))  # GRD614
    loss.backward()
    return scores


@rule.good(cures=softmax_then_nll_loss)
def log_softmax_then_nll_loss():
    import torch
    import torch.nn.functional as F

    scores = torch.tensor([[8.0, 0.0, -2.0]], requires_grad=True)
    loss = F.nll_loss(scores.log_softmax(dim=1), torch.tensor([2]))
    loss.backward()
    return scores


@rule.bad
def softmax_then_kl_div():
    import torch
    import torch.nn.functional as F

    scores = torch.tensor([[8.0, 0.0, -2.0]], requires_grad=True)
    teacher = torch.tensor([[0.1, 0.1, 0.8]])
    loss = F.kl_div(F.softmax(scores, dim=1), teacher, reduction="batchmean")  # GRD614
    loss.backward()
    return scores


@rule.good(cures=softmax_then_kl_div)
def log_softmax_then_kl_div():
    import torch
    import torch.nn.functional as F

    scores = torch.tensor([[8.0, 0.0, -2.0]], requires_grad=True)
    teacher = torch.tensor([[0.1, 0.1, 0.8]])
    loss = F.kl_div(F.log_softmax(scores, dim=1), teacher, reduction="batchmean")
    loss.backward()
    return scores


@rule.bad
def sigmoid_then_cross_entropy():
    import torch
    import torch.nn.functional as F

    scores = torch.tensor([[8.0, 0.0, -2.0]], requires_grad=True)
    loss = F.cross_entropy(torch.sigmoid(scores), torch.tensor([2]))  # GRD614
    loss.backward()
    return scores


@rule.good(cures=sigmoid_then_cross_entropy)
def bounded_by_nothing():
    import torch
    import torch.nn.functional as F

    scores = torch.tensor([[8.0, 0.0, -2.0]], requires_grad=True)
    loss = F.cross_entropy(scores, torch.tensor([2]))
    loss.backward()
    return scores
