"""`backward()` without a gradient needs a result of one element.

## Why it happens

Backward computes the product of a given gradient with the Jacobian. For a result of one element the given
gradient is 1 unless something else is said. For several elements there is no such default: their sum, their mean and
a weighting are different losses, and torch does not choose. A loss with `reduction="none"` has an
element for each element of its input.

## What it costs

The line raises `RuntimeError`.

## When it is right to ignore it

Where the input certainly has one element only. Sizes are followed from where the program writes them down
(`torch.ones(3, 2)`, `nn.Linear(8, 1)`); of a batch whose size it does not tell nothing is said, but for a loss that
is not reduced.
"""

from __future__ import annotations

from gradlint.domain import NO
from gradlint.events import BackwardRun
from gradlint.rule import LIKELY, Findings, Question, Raises, Rule, quoted

rule = Rule(
    "GRD611",
    "non-scalar-backward",
    "{name} has more than one element and is differentiated without `gradient`",
    help="reduce it with `mean()` or `sum()`, or pass `gradient=`",
    yields_to=("GRD601", "GRD602", "GRD604"),
    tokens=("backward", "grad"),
)
consequence = Raises(RuntimeError, "grad can be implicitly created only for scalar outputs")


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    if event.root.scalar <= NO and event.gradient <= NO:
        draft = rule.at(event.node, name=quoted(event.name, "the output")).lowered(
            LIKELY, "a sum of one element would do", Question.TORCH
        )
        yield draft.marked(event.root.causes, made="made here with several elements")


@rule.bad
def loss_without_reduction():
    import torch
    import torch.nn.functional as F
    from torch import nn

    model = nn.Linear(2, 1)
    loss = F.mse_loss(model(torch.ones(3, 2)), torch.ones(3, 1), reduction="none")
    loss.backward()  # GRD611
    return model


@rule.good(cures=loss_without_reduction)
def loss_reduced():
    import torch
    import torch.nn.functional as F
    from torch import nn

    model = nn.Linear(2, 1)
    loss = F.mse_loss(model(torch.ones(3, 2)), torch.ones(3, 1), reduction="none")
    loss.mean().backward()
    return model


@rule.bad
def vector_of_squares():
    import torch

    x = torch.ones(3, requires_grad=True)
    y = x**2 + 1
    y.backward()  # GRD611
    return x


@rule.good(cures=vector_of_squares)
def vector_of_squares_with_a_gradient():
    import torch

    x = torch.ones(3, requires_grad=True)
    y = x**2 + 1
    y.backward(torch.ones(3))
    return x
