"""`torch.autograd.grad()` returns the gradients and leaves `.grad` as it is.

## Why it happens

There are two ways to differentiate. `backward()` adds gradients to the `.grad` of the leaves and returns
nothing; `torch.autograd.grad(outputs, inputs)` returns the gradients of `inputs` and touches no `.grad`.
Where its result is dropped, all its work is lost.

## What it costs

`.grad` is None, or still holds the gradient of an earlier backward, and an optimizer steps without the
new one: nothing is learned, and nothing warns.

## When it is right to ignore it

Where the call is made for its effects alone, such as to see that it does not raise, and `.grad` is read
to see None. A read of `.grad` after a call whose result is kept is shown at the lowest confidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from gradlint.domain import LOST, NONE, YES, CauseKind, Syntax, Tensor
from gradlint.events import Event, GradientRead, ModuleFinished, OptimizerStepped, ResultDiscarded
from gradlint.rule import POSSIBLE, Findings, Rule, quoted

rule = Rule(
    "GRD204",
    "grad-read-after-autograd-grad",
    "`torch.autograd.grad()` returns gradients and does not fill {gradient}",
    help="use the gradients that it returns, or call `loss.backward()` to fill `.grad`",
    effect="wrong result",
    tokens=("grad",),
)


def consequence(returned: Any) -> bool:
    """No gradient was left in the leaf."""
    return returned.grad is None


@rule.on(ModuleFinished)
def check(finished: ModuleFinished) -> Findings:
    dropped = {
        event.node
        for event in finished.story
        if isinstance(event, ResultDiscarded) and event.called == "torch.autograd.grad"
    }
    for event in finished.story:
        for call, gradient in _missed(event):
            if call in dropped:
                draft = rule.at(call, gradient=gradient).advising("call `backward()` instead, which fills `.grad`")
                looked_for = "the gradient is looked for here"
                yield draft.note(event.node, looked_for).resting_on(event)
            elif isinstance(event, GradientRead):
                draft = rule.at(event.node, gradient=gradient)
                yield draft.note(call, "the gradients are returned here").lowered(
                    POSSIBLE, "an earlier gradient may be meant"
                )


def _missed(event: Event) -> Iterator[tuple[Syntax, str]]:
    """The calls that returned a gradient which is looked for in `.grad` and is not there."""
    if isinstance(event, GradientRead) and not event.guard and event.none <= YES and event.tensor.leaf <= YES:
        for call in _returned([event.tensor]):
            yield call, quoted(event.name and f"{event.name}.grad", "`.grad`")
    elif isinstance(event, OptimizerStepped) and event.grad <= NONE | LOST:
        for call in _returned(event.parameters):
            yield call, "the `.grad` that the optimizer uses"


def _returned(tensors: Iterable[Tensor]) -> list[Syntax]:
    return list(
        dict.fromkeys(mark.node for tensor in tensors for mark in tensor.causes if mark.kind is CauseKind.RETURNED)
    )


@rule.bad
def gradient_dropped_and_looked_for():
    import torch

    weight = torch.ones(3, requires_grad=True)
    loss = weight.pow(2).sum()
    torch.autograd.grad(loss, weight)  # GRD204
    gradient = weight.grad
    return weight


@rule.good(cures=gradient_dropped_and_looked_for)
def gradient_filled_by_backward():
    import torch

    weight = torch.ones(3, requires_grad=True)
    loss = weight.pow(2).sum()
    loss.backward()
    gradient = weight.grad
    return weight


@rule.bad
def optimizer_without_the_gradients():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(1, 2)).sum()
    torch.autograd.grad(loss, model.parameters())  # GRD204
    optimizer.step()
    return model.weight


@rule.good(cures=optimizer_without_the_gradients)
def optimizer_with_the_gradients():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    optimizer.step()
    return model.weight
