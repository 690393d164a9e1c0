"""Accumulated gradients are a sum, not the mean of a larger batch.

## Why it happens

Each `backward()` adds its gradient to `.grad`. Over N batches whose losses are means that gives N times
the gradient of the mean over all of them: accumulation stands for a larger batch only if each loss is
divided by N.

## What it costs

The update of SGD is N times as large as with the large batch: the learning rate has silently been
multiplied by N. Clipping and weight decay are thrown off by the same factor. Adam normalises most of
it away.

## When it is right to ignore it

Where the learning rate was chosen for the sum, or the losses are sums themselves. Only losses that
are certainly means, and differentiated as they are, are reported. By what to divide where the last step
comes early, and whether the learning rate makes up for it, the author has to say, so no fix is offered.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import FRESH, NO, YES
from gradlint.events import BackwardRun, Called, Event, LoopFinished
from gradlint.rule import Findings, Rule, quoted

from ._accumulation import Accumulation, accumulations

rule = Rule(
    "GRD718",
    "unscaled-accumulation",
    "{name} is accumulated over several iterations, so the step uses the sum of gradients",
    help="divide it by the number of iterations between two steps: `(loss / n).backward()`",
    effect="wrong result",
    default=False,
    tokens=("backward",),
)
MEANS = frozenset(
    "mean cross_entropy mse_loss l1_loss smooth_l1_loss huber_loss nll_loss binary_cross_entropy "
    "binary_cross_entropy_with_logits CrossEntropyLoss MSELoss L1Loss SmoothL1Loss HuberLoss NLLLoss BCELoss "
    "BCEWithLogitsLoss".split()
)
"""The functions that give the mean over a batch unless they are told otherwise."""


def consequence(returned: Any, cured: Any) -> bool:
    """The gradient that the step used is twice the mean."""
    return bool(returned.allclose(2 * cured))


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    if any(_is_no_mean(one) for one in event.story):
        return
    for found in accumulations(event):
        for one in found.backwards:
            if one.made_by and MEANS.issuperset(one.made_by) and _adds(one, found):
                draft = rule.at(one.node, name=quoted(one.name, "the loss"))
                draft = draft.note(found.step.node, "steps every so many iterations")
                yield draft.resting_on(one, found.step)


def _is_no_mean(event: Event) -> bool:
    """Return whether something is told how to reduce: then losses need not be means."""
    return isinstance(event, Called) and any(name == "reduction" for name, _ in event.keywords)


def _adds(backward: BackwardRun, found: Accumulation) -> bool:
    """Return whether a backward adds to gradients that an iteration before has left for the step."""
    mine = [leaf for leaf in backward.leaves if not found.parameters.isdisjoint(ref.key for ref in leaf.storage)]
    return (
        backward.later <= YES
        and backward.gradient <= NO
        and any(leaf.grad.possibly(FRESH) and not leaf.grad.is_unsure for leaf in mine)
    )


@rule.bad
def sum_of_means():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.detach().clone()
    for index in range(2):
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()  # GRD718
        if (index + 1) % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()
    return model.weight.detach() - before


@rule.good(cures=sum_of_means)
def mean_of_means():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.weight.detach().clone()
    for index in range(2):
        loss = model(torch.ones(4, 2)).mean() / 2
        loss.backward()
        if (index + 1) % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()
    return model.weight.detach() - before
