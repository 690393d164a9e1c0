"""Integer and boolean tensors cannot require grad.

## Why it happens

Autograd differentiates functions of real and complex numbers. Whole numbers and booleans cannot be
moved by a small step, so a tensor of them has no gradient and torch refuses the request at once,
however it is made: by `requires_grad=True`, by assignment, by `requires_grad_()`, or by
`nn.Parameter`, which asks by default. The kind of the elements is easily overlooked, because it
follows from the literals: `torch.tensor([1, 2])`, `torch.arange(4)` and `torch.full((2,), 1)` hold
integers, and so do the results of `argmax`, comparisons (booleans) and `.long()`.

## What it costs

The line raises `RuntimeError` whenever it is reached.

## When it is right to ignore it

In a test that expects the error. Asking an integer tensor *not* to require grad is legal and never
reported.
"""

from __future__ import annotations

from gradlint.domain import BOOL, DISCRETE, INTEGER, YES, AskKind
from gradlint.events import RequiresGradChanged
from gradlint.rule import LIKELY, Edit, Findings, Question, Raises, Rule

rule = Rule(
    "GRD101",
    "integer-requires-grad",
    "{kind} tensor{named} cannot require grad",
    help="convert it to a floating point dtype first: `.float()` or `dtype=torch.float32`",
    yields_to=("GRD102",),
    tokens=("requires_grad", "requires_grad_", "Parameter"),
)
consequence = Raises(RuntimeError, "dtype can require gradients")

KINDS = {BOOL: "boolean", INTEGER: "integer"}
AS_BUFFER = "register it as a buffer, or pass `requires_grad=False`"
LEGAL_WITH = {
    AskKind.FACTORY: ("dtype", "torch.float32", ("torch",)),
    AskKind.PARAMETER: ("requires_grad", "False", ()),
}
"""The keyword and value with which the call that makes the tensor is legal, and what that value has to import."""


@rule.on(RequiresGradChanged)
def check(event: RequiresGradChanged) -> Findings:
    if event.to <= YES and ((certain := event.tensor.dtype <= DISCRETE) or event.counted):
        kind = "integer" if not certain else KINDS.get(event.tensor.dtype, "integer or boolean")
        named = f" `{event.name}`" if event.name else ""
        draft = rule.at(event.node, kind=kind, named=named)
        if not certain:
            draft = draft.lowered(LIKELY, "the bounds of a range are whole as a rule", Question.TORCH)
        draft = draft.advising(AS_BUFFER) if event.by is AskKind.PARAMETER else draft
        if event.by in LEGAL_WITH:
            keyword, value, imports = LEGAL_WITH[event.by]
            draft = draft.fix(Edit("set keyword", event.node, keyword, value), safety="unsafe", imports=imports)
        yield draft.marked(event.tensor.causes, made=f"made here, with {kind} elements")


@rule.bad
def whole_number_literals():
    import torch

    weights = torch.tensor([1, 2, 3], requires_grad=True)  # GRD101
    return weights


@rule.good(cures=whole_number_literals)
def literals_with_a_decimal_point():
    import torch

    weights = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    return weights


@rule.bad
def positions_asked_afterwards():
    import torch

    positions = torch.arange(4)
    positions.requires_grad_(True)  # GRD101
    return positions


@rule.good(cures=positions_asked_afterwards)
def positions_converted_first():
    import torch

    positions = torch.arange(4).float()
    positions.requires_grad_(True)
    return positions


@rule.bad
def index_table_as_parameter():
    import torch
    from torch import nn

    class RelativePositions(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.index = nn.Parameter(torch.arange(size))  # GRD101

    return RelativePositions(4)


@rule.good(cures=index_table_as_parameter)
def index_table_as_frozen_parameter():
    import torch
    from torch import nn

    class RelativePositions(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.index = nn.Parameter(torch.arange(size), requires_grad=False)

    return RelativePositions(4)
