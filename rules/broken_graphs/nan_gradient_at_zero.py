"""`torch.where` picks values, not gradients: a branch that is infinite at zero makes the gradient NaN.

## Why it happens

Both branches of `torch.where(x > 0, x.sqrt(), 0)` are computed for every element. Backward sends zero to the
branch that was not picked, and the branch multiplies it by its own derivative. At zero that of `sqrt`, `log`,
`rsqrt`, `reciprocal` or a quotient is infinite, and zero times infinity is NaN. Values are right, gradients are not.

## What it costs

One element at the edge makes the whole gradient NaN, and with the next step every weight, without an error.
Masks behave the same (`x.sqrt() * mask`, `masked_fill`), and so does what is divided by zero, whether or not that asks
for a gradient. `norm()` at zero has a gradient of zero in torch 2.13 and is safe; `sqrt` of a sum of squares is not,
and an `eps` that is added behind the root, or a clamp there, comes too late.

## When it is right to ignore it

When the edge is certainly never reached. What was clamped, shifted or replaced before (`x.clamp(min=eps)`, `x + eps`, a
`where` inside) is not reported; a `where` whose condition compares something else, and a square root of a sum of
squares that nothing is added to, are believed least and not shown by default. How near to the edge is near enough the
author has to say, so no fix is offered.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, Constant, Ref, Tensor
from gradlint.events import ModuleFinished, Recorded
from gradlint.rule import LIKELY, POSSIBLE, Draft, Findings, Question, Rule

rule = Rule(
    "GRD616",
    "nan-gradient-at-zero",
    "the gradient of `{operation}` is infinite at the boundary, and NaN {where}",
    help="clamp its input first: `x.clamp(min=eps)`, or use `torch.where` on the input as well",
    effect="wrong result",
    tokens=("where", "sqrt"),
)

QUOTIENT = "div"
INFINITE = frozenset("sqrt rsqrt log log2 log10 reciprocal acos asin atanh".split())
"""Operations whose derivative is infinite at the edge of where they are defined."""
SAFE = frozenset("clamp clamp_min clip add where maximum exp sigmoid softmax softplus cosh nan_to_num".split())
"""Operations whose result is kept away from that edge."""
COMPARISONS = frozenset("gt ge lt le ne eq".split())
OF_SQUARES = frozenset({"sum", "pow", "square", "mul"})
AS_LARGE = frozenset({"abs", "square", "pow"})
"""Operations that are zero where their operand is."""
LARGEST_SHIFT = 1e-3
"""The largest number that is added for the sake of what may be zero."""
CLAMPS = frozenset({"clamp", "clamp_min", "clip"})

Memory = tuple[Ref, ...]
KEPT = INFINITE | COMPARISONS | AS_LARGE | {QUOTIENT}
WORDS = {QUOTIENT: "/"}
NOT_PICKED = "even if the branch is not selected"
INSIDE = "add it below the root: `(x.square().sum(-1) + eps).sqrt()`, or use `torch.linalg.vector_norm`"


def consequence(returned: Any) -> bool:
    """The gradient is NaN somewhere."""
    return bool(returned.grad.isnan().any())


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    """Find the operation that made a tensor by the memory of its result, the latest before."""
    made: dict[Memory, Recorded] = {}
    for event in end.story:
        if type(event) is not Recorded:
            continue
        if event.op == "where" and event.result.requires_grad <= YES:
            yield from _judged(event, made)
        elif _is_root_of_squares(event):
            yield (
                _at_root(event)
                .resting_on(event)
                .lowered(POSSIBLE, "nobody sees that the sum may be zero", Question.TORCH)
            )
        elif _is_shifted(event) and (root := made.get(event.operands[0].storage)) is not None:
            draft = _at_root(root).note(event.node, "kept from zero here, behind the root")
            yield (
                draft.advising(INSIDE)
                .resting_on(root)
                .lowered(LIKELY, "what is kept from zero may be zero", Question.TORCH)
            )
        if event.op in KEPT and event.operands:
            made[event.result.storage] = event


def _at_root(root: Recorded) -> Draft:
    return rule.at(root.node, operation="sqrt", where="where all squares are zero")


def _is_root_of_squares(event: Recorded) -> bool:
    return event.op == "sqrt" and event.result.requires_grad <= YES and event.operands[0].made in OF_SQUARES


def _is_shifted(event: Recorded) -> bool:
    """Return whether a root of squares is kept away from zero, which is too late for its derivative."""
    root = event.operands[0] if event.operands else None
    if root is None or root.made != "sqrt" or not root.requires_grad <= YES or len(event.operands) > 1:
        return False
    numbers = [value.value for _, value in event.others if isinstance(value, Constant)]
    small = any(isinstance(one, float) and 0 < one <= LARGEST_SHIFT for one in numbers)
    return small and (event.op == "add" or event.op in CLAMPS)


def _judged(event: Recorded, made: dict[Memory, Recorded]) -> Findings:
    compared = {
        operand.storage
        for condition in _made_by(event, made, COMPARISONS)
        for operand in made[condition.storage].operands
    }
    compared |= {one.storage for memory in compared if memory in made and made[memory].op in AS_LARGE
                 for one in made[memory].operands}  # fmt: skip
    for branch in _made_by(event, made, INFINITE | {QUOTIENT}):
        source = _at_the_edge(made[branch.storage])
        if source is not None and branch.requires_grad <= YES and source.made not in SAFE:
            draft = rule.at(event.node, operation=WORDS.get(branch.made, branch.made), where=NOT_PICKED)
            draft = draft.marked(branch.causes, made="computed for every element, picked or not")
            confidence = LIKELY if source.storage in compared else POSSIBLE
            yield draft.resting_on(event).lowered(
                confidence, "nobody sees that the branch that is not picked leaves its domain", Question.TORCH
            )


def _at_the_edge(event: Recorded) -> Tensor | None:
    """The operand at whose edge the derivative is infinite: of a quotient that by which is divided."""
    if event.op != QUOTIENT:
        return event.operands[0]
    if len(event.operands) == 2:
        return event.operands[1]
    return event.operands[0] if any(place == 0 for place, _ in event.others) else None


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


@rule.bad
def quotient_behind_a_condition():
    import torch

    depth = torch.tensor([2.0, 0.0, 4.0], requires_grad=True)
    focus = torch.where(depth.abs() > 1e-6, 3.0 / depth, torch.zeros(3))  # GRD616
    focus.sum().backward()
    return depth


@rule.good(cures=quotient_behind_a_condition)
def quotient_of_a_safe_input():
    import torch

    depth = torch.tensor([2.0, 0.0, 4.0], requires_grad=True)
    seen = depth.abs() > 1e-6
    focus = torch.where(seen, 3.0 / torch.where(seen, depth, torch.ones(3)), torch.zeros(3))
    focus.sum().backward()
    return depth


@rule.bad
def epsilon_behind_the_root():
    import torch

    rays = torch.zeros(2, 3, requires_grad=True)
    length = (rays * rays).sum(-1, keepdim=True).sqrt()  # GRD616
    (rays / (length + 1e-9)).sum().backward()
    return rays


@rule.good(cures=epsilon_behind_the_root)
def epsilon_below_the_root():
    import torch

    rays = torch.zeros(2, 3, requires_grad=True)
    length = ((rays * rays).sum(-1, keepdim=True) + 1e-9).sqrt()
    (rays / length).sum().backward()
    return rays
