"""A loss pairs every prediction with every target: shapes (n, 1) and (n,) broadcast to (n, n).

## Why it happens

A network that ends in `nn.Linear(..., 1)` gives a column, (n, 1). Targets that are made from a list of numbers, or
summed over the last dimension, are a vector, (n,). Between the two torch broadcasts: the vector becomes a row, and each
of the n predictions meets each of the n targets. What the mean of these n * n terms asks of a prediction is that it be
near all targets at once, so it is fitted to their mean. A product pairs them likewise: the mean of `log_prob *
advantage` is then that of all log-probabilities times that of all advantages.

## What it costs

Nothing is raised, and the loss is a number that even gets smaller. `mse_loss`, `l1_loss`, `smooth_l1_loss` and
`huber_loss` warn (UserWarning); arithmetic says nothing. The model learns the mean, whatever it is given.

## When it is right to ignore it

Where every pair is meant, as in a matrix of distances; `x.unsqueeze(1) - y`, where the column is made for it, is not
reported. Where a batch never has more than one row: of batches of unknown length the finding is likely. What begins
as a number and is summed up, as discounted gains are, is taken for a number further on.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import ANY_SHAPE, COLUMN, NO, NUMBER, ROW, SINGLE, VECTOR, YES, CauseKind, Shape, Tensor
from gradlint.events import Recorded
from gradlint.rule import LIKELY, Draft, Findings, Rule

rule = Rule(
    "GRD621",
    "broadcast-loss",
    "`{op}` broadcasts (n, 1) and (n,) to (n, n): each element is paired with every other",
    help="apply `squeeze(-1)` to the operand of shape (n, 1), or `unsqueeze(-1)` to the other",
    effect="wrong result",
)

LOSSES = {
    name: name for name in "mse_loss l1_loss smooth_l1_loss huber_loss MSELoss L1Loss SmoothL1Loss HuberLoss".split()
}
"""The losses that compare number by number and take arguments of different shapes."""
ARITHMETIC = {
    "sub": "-",
    "rsub": "-",
    "add": "+",
    "mul": "*",
    "div": "/",
    "max of two": "max",
    "min of two": "min",
    "maximum": "maximum",
    "minimum": "minimum",
}
"""Operations that losses are written out with, as a program writes them."""
ARRANGING = frozenset(("unsqueeze", "getitem", "view", "reshape"))
"""What makes a column for what comes next, which is then to broadcast it."""
FILLING = frozenset(("zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "new_zeros", "new_ones"))
"""What makes a vector of one number, so that it makes no difference which of them a prediction meets."""
BATCH = "a batch is taken to have several rows"
PAIRS = "that every pair is met may be meant"


def consequence(returned: Any, cured: Any) -> bool:
    """The gradient is another one than where each prediction meets its own target."""
    return bool((returned.grad - cured.grad).abs().max() > 0.1)


@rule.on(Recorded, *LOSSES)
def check_loss(event: Recorded) -> Findings:
    """A loss compares what it is given, and no pairs can be meant."""
    if (met := _met(event)) is not None and not _is_single(*met):
        draft = _at(event, LOSSES[event.op], met)
        yield draft if _are_known(*met) else draft.lowered(LIKELY, BATCH)


@rule.on(Recorded, *ARITHMETIC)
def check_arithmetic(event: Recorded) -> Findings:
    """A product or a difference is a part of a loss where it is trained, or stands for what is."""
    if (met := _met(event)) is not None and _is_trained(event) and not _is_meant(*met):
        yield _at(event, ARITHMETIC[event.op], met).lowered(LIKELY, PAIRS if _are_known(*met) else BATCH)


def _met(event: Recorded) -> tuple[Tensor, Tensor] | None:
    """The column and the vector of an operation on one of each, if it makes a difference which elements meet. What is
    computed of a single row has a dimension less: that both may be is no batch."""
    columns = [one for one in event.operands if _is(one.shape, COLUMN, COLUMN | SINGLE)]
    rows = [one for one in event.operands if _is(one.shape, VECTOR, ROW | NUMBER) and one.made not in FILLING]
    if len(event.operands) != 2 or not columns or not rows:
        return None
    of_batch = columns[0].shape <= COLUMN | ANY_SHAPE or rows[0].shape <= ROW | ANY_SHAPE
    return (columns[0], rows[0]) if of_batch else None


def _is(shape: Shape, some: Shape, most: Shape) -> bool:
    """Return whether a shape is one of `most` as far as anybody has shown it, and `some` is among those."""
    return shape.possibly(some) and shape <= most | ANY_SHAPE


def _is_single(column: Tensor, row: Tensor) -> bool:
    """Return whether there is but one element to meet."""
    return column.size == (1, 1) or row.size == (1,)


def _are_known(column: Tensor, row: Tensor) -> bool:
    """Return whether it is known how many elements meet."""
    return column.size is not None and row.size is not None


def _is_trained(event: Recorded) -> bool:
    """Return whether a result, or something that it was cut off from, requires grad."""
    cut = any(mark.kind == CauseKind.CUT for one in event.operands for mark in one.causes)
    return event.result.requires_grad.possibly(YES) or cut


def _is_meant(column: Tensor, row: Tensor) -> bool:
    """Return whether every pair is most likely meant: of a vector that has a length of its own, of weights, of a column
    that was made for it, or of one tensor with itself."""
    alike = row.size is None or (column.size is not None and column.size[:1] == row.size)
    weights = not (column.parameter <= NO and row.parameter <= NO)
    arranged = column.made in ARRANGING or not set(column.storage).isdisjoint(row.storage)
    return not alike or weights or arranged or _is_single(column, row)


def _at(event: Recorded, op: str, met: tuple[Tensor, Tensor]) -> Draft:
    """A finding with the places that made the two."""
    column, row = met
    draft = rule.at(event.node, op=op)
    return draft.marked(column.causes, made="its shape is (n, 1)").marked(row.causes, made="its shape is (n,)")


@rule.bad
def returns_minus_values():
    import torch
    from torch import nn

    critic = nn.Sequential(nn.Linear(1, 1, bias=False))
    nn.init.ones_(critic[0].weight)
    states = torch.tensor([[-1.0], [0.0], [1.0]])
    returns = []
    for step in range(3):
        returns.append(2.0 * step - 2.0)
    returns = torch.tensor(returns)
    loss = (returns - critic(states)).pow(2).mean()  # GRD621
    loss.backward()
    return critic[0].weight


@rule.good(cures=returns_minus_values)
def returns_minus_squeezed_values():
    import torch
    from torch import nn

    critic = nn.Sequential(nn.Linear(1, 1, bias=False))
    nn.init.ones_(critic[0].weight)
    states = torch.tensor([[-1.0], [0.0], [1.0]])
    returns = []
    for step in range(3):
        returns.append(2.0 * step - 2.0)
    returns = torch.tensor(returns)
    loss = (returns - critic(states).squeeze(-1)).pow(2).mean()
    loss.backward()
    return critic[0].weight


@rule.bad
def vector_for_mse_loss():
    import torch
    from torch import nn

    class Regression(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(1, 1, bias=False)
            nn.init.ones_(self.head.weight)

        def forward(self, x):
            return self.head(x)

    model = Regression()
    x = torch.tensor([[-1.0], [0.0], [1.0]])
    loss = nn.MSELoss()(model(x), 2 * x[:, 0])  # GRD621
    loss.backward()
    return model.head.weight


@rule.good(cures=vector_for_mse_loss)
def column_for_mse_loss():
    import torch
    from torch import nn

    class Regression(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(1, 1, bias=False)
            nn.init.ones_(self.head.weight)

        def forward(self, x):
            return self.head(x)

    model = Regression()
    x = torch.tensor([[-1.0], [0.0], [1.0]])
    loss = nn.MSELoss()(model(x), 2 * x[:, 0].unsqueeze(-1))
    loss.backward()
    return model.head.weight
