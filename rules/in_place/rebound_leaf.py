"""An update by assignment makes a weight something that gets no gradient the next time round.

## Why it happens

`w = w - lr * w.grad` binds `w` to the result of an operation. Gradients are put into leaves only, and the new tensor
is none: the next `backward()` goes through it to the old leaf, and `w.grad` is None. Under `torch.no_grad()` the new
tensor is a leaf but does not require grad, so backward does not come by at all. Only an update in place keeps the leaf
that it is.

## What it costs

The second iteration raises: `TypeError`, because None cannot be multiplied, or `RuntimeError`, because nothing in the
loss requires grad.

## When it is right to ignore it

Never where it is reported: the gradient is certainly read again. Unrolled optimisation, which takes its gradients from
`torch.autograd.grad()`, is not reported.
"""

from __future__ import annotations

from gradlint.domain import NO, YES, Tensor
from gradlint.events import GradientRead, LoopFinished, NameRebound
from gradlint.rule import Edit, Findings, Raises, Rule

rule = Rule(
    "GRD308",
    "rebound-leaf",
    "`{name} = ...` makes `{name}` {what}, so its next `.grad` is `None`",
    help="write `with torch.no_grad(): {name} -= lr * {name}.grad`, then `{name}.grad = None`",
    effect="error later",
    tokens=("grad",),
)
consequence = Raises(TypeError, "NoneType")


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    reads = [one for one in event.story if isinstance(one, GradientRead) and one.later <= YES and _gets_none(one)]
    for bound in event.story:
        if isinstance(bound, NameRebound) and bound.updates and not bound.looped and _is_lost(bound):
            for read in reads:
                if read.name == bound.name:
                    recorded = isinstance(bound.value, Tensor) and bound.value.leaf <= NO
                    what = "a non-leaf" if recorded else "a leaf without `requires_grad`"
                    draft = rule.at(bound.node, name=bound.name, what=what)
                    draft = draft.note(read.node, "`None` from the second iteration on").resting_on(bound)
                    again = f"{bound.name} = {bound.name}.detach().requires_grad_()"
                    yield draft.fix(Edit("insert after", bound.node, again), safety="unsafe")
                    break


def _gets_none(read: GradientRead) -> bool:
    """Return whether backward certainly leaves nothing in the gradient that is read for its value."""
    tensor = read.tensor
    return not read.guard and (tensor.leaf <= NO or tensor.requires_grad <= NO) and not tensor.retains.may(YES)


def _is_lost(bound: NameRebound) -> bool:
    """Return whether a leaf that gets gradients gives its name to something that does not."""
    old, value = bound.old, bound.value
    if not (isinstance(old, Tensor) and isinstance(value, Tensor)):
        return False
    return old.leaf <= YES and old.requires_grad <= YES and (value.leaf <= NO or value.requires_grad <= NO)


@rule.bad
def weight_assigned_with_gradients_on():
    import torch

    weight = torch.ones(3, requires_grad=True)
    for _ in range(2):
        loss = (weight**2).sum()
        loss.backward()
        weight = weight - 0.1 * weight.grad  # GRD308
    return weight


@rule.good(cures=weight_assigned_with_gradients_on)
def weight_written_in_place():
    import torch

    weight = torch.ones(3, requires_grad=True)
    for _ in range(2):
        loss = (weight**2).sum()
        loss.backward()
        with torch.no_grad():
            weight -= 0.1 * weight.grad
        weight.grad = None
    return weight


@rule.bad
def weight_assigned_without_gradients():
    import torch

    weight, bias = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(3):
        loss = (weight * 2 + bias - 1).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            weight = weight - 0.1 * weight.grad  # GRD308
            bias -= 0.1 * bias.grad
        bias.grad = None
    return weight


@rule.good(cures=weight_assigned_without_gradients)
def both_written_in_place():
    import torch

    weight, bias = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(3):
        loss = (weight * 2 + bias - 1).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            weight -= 0.1 * weight.grad
            bias -= 0.1 * bias.grad
        weight.grad = bias.grad = None
    return weight
