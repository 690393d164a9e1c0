"""`torch.where` picks values, not gradients: a branch that is infinite at zero makes the gradient NaN.

## Why it happens

Both branches of `torch.where(x > 0, x.sqrt(), 0)` are computed for every element. Backward sends zero to the
branch that was not picked, and the branch multiplies it by its own derivative. At zero that of `sqrt`, `log`,
`rsqrt` or `reciprocal` is infinite, and zero times infinity is NaN. Values are right, gradients are not.

## What it costs

One element at the edge makes the whole gradient NaN, and with the next step every weight, without an error.
Masks behave the same (`x.sqrt() * mask`, `masked_fill`). `norm()` at zero has a gradient of zero in torch 2.13 and
is safe; `sqrt` of a sum of squares is not.

## When it is right to ignore it

When the edge is certainly never reached. What was clamped, shifted or replaced before (`x.clamp(min=eps)`, `x + eps`, a
`where` inside) is not reported; a `where` whose condition compares something else, and a bare square root of a sum
of squares, are believed least and not shown by default. How near to the edge is near enough the author has to say,
so no fix is offered.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, Ref, Tensor
from gradlint.events import ModuleFinished, Recorded
from gradlint.rule import LIKELY, POSSIBLE, Findings, Rule, believed

rule = Rule(
    "GRD616",
    "nan-gradient-at-zero",
    "the gradient of `{operation}` is infinite at the boundary, and NaN {where}",
    help="clamp its input first: `x.clamp(min=eps)`, or use `torch.where` on the input as well",
    effect="wrong result",
    tokens=("where", "sqrt"),
)

INFINITE = frozenset("sqrt rsqrt log log2 log10 reciprocal acos asin atanh".split())
"""Operations whose derivative is infinite at the edge of where they are defined."""
SAFE = frozenset("clamp clamp_min clip add where maximum exp sigmoid softmax softplus cosh nan_to_num".split())
"""Operations whose result is kept away from that edge."""
COMPARISONS = frozenset("gt ge lt le ne eq".split())
OF_SQUARES = frozenset({"sum", "pow", "square", "mul"})

Memory = tuple[Ref, ...]


def consequence(returned: Any) -> bool:
    """The gradient is NaN somewhere."""
    return bool(returned.grad.isnan().any())


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    """What made a tensor is found by the memory of its result, the latest before."""
    made: dict[Memory, Recorded] = {}
    for event in end.story:
        if type(event) is not Recorded:
            continue
        if event.op == "where" and event.result.requires_grad <= YES:
            yield from _judged(event, made)
        elif event.op == "sqrt" and event.result.requires_grad <= YES and event.operands[0].made in OF_SQUARES:
            draft = rule.at(event.node, operation="sqrt", where="where all squares are zero")
            yield draft.lowered(max(POSSIBLE, believed(event)))
        if event.op in INFINITE or event.op in COMPARISONS:
            made[event.result.storage] = event


def _judged(event: Recorded, made: dict[Memory, Recorded]) -> Findings:
    compared = {
        operand.storage
        for condition in _made_by(event, made, COMPARISONS)
        for operand in made[condition.storage].operands
    }
    for branch in _made_by(event, made, INFINITE):
        source = made[branch.storage].operands[0]
        if branch.requires_grad <= YES and source.made not in SAFE:
            draft = rule.at(event.node, operation=branch.made, where="even if the branch is not selected")
            draft = draft.marked(branch.marks, made="computed for every element, picked or not")
            confidence = LIKELY if source.storage in compared else POSSIBLE
            yield draft.lowered(max(confidence, believed(event)))


def _made_by(event: Recorded, made: dict[Memory, Recorded], operations: frozenset[str]) -> list[Tensor]:
    """The operands that one of these operations made."""
    return [one for one in event.operands if one.made in operations and one.storage in made]


@rule.bad
def square_root_behind_a_condition():
    import torch

    x = torch.tensor([0.0, 4.0], requires_grad=True)
    y = torch.where(x > 0, x.sqrt(), torch.zeros(2))  # GRD616
    y.sum().backward()
    return x


@rule.good(cures=square_root_behind_a_condition)
def square_root_of_a_safe_input():
    import torch

    x = torch.tensor([0.0, 4.0], requires_grad=True)
    safe = torch.where(x > 0, x, torch.ones(2))
    y = torch.where(x > 0, safe.sqrt(), torch.zeros(2))
    y.sum().backward()
    return x


@rule.bad
def logarithm_behind_a_condition():
    import torch

    p = torch.tensor([0.0, 0.5, 0.5], requires_grad=True)
    entropy = -torch.where(p > 0, torch.log(p), p).sum()  # GRD616
    entropy.backward()
    return p


@rule.good(cures=logarithm_behind_a_condition)
def logarithm_of_a_clamped_input():
    import torch

    p = torch.tensor([0.0, 0.5, 0.5], requires_grad=True)
    entropy = -torch.where(p > 0, torch.log(p.clamp(min=1e-8)), p).sum()
    entropy.backward()
    return p
