"""A loop that asks every tensor of a state dict to require grad stops at the first integer one.

## Why it happens

A state dict holds all that a module needs to be restored, and not all of it can be differentiated: each
batch norm counts its batches in `num_batches_tracked`, a whole number, and buffers may be index tables or
masks. Only floating point and complex tensors can require grad, so a loop over all values works for a model
without such entries and fails for the next. The same goes for a dict of one's own in which weights lie
beside a step counter.

## What it costs

The line raises `RuntimeError` when it meets the integer, after it has changed the tensors before it.

## When it is right to ignore it

In a test that expects the error. A loop that leaves entries out, by their dtype or by their name, is never
reported: whether it leaves out the right ones is not known.
"""

from __future__ import annotations

from gradlint.domain import BOOL, COMPLEX, DISCRETE, INTEGER, YES, AskKind
from gradlint.events import RequiresGradChanged
from gradlint.rule import LIKELY, Edit, Findings, Question, Raises, Rule, quoted

rule = Rule(
    "GRD102",
    "mixed-dict-requires-grad",
    "the loop also reaches {kind} tensors through {name}, which cannot require grad",
    help="guard the line with `if {variable}.is_floating_point():`, or loop over `named_parameters()`",
    default=False,
    tokens=("requires_grad", "requires_grad_"),
)
consequence = Raises(RuntimeError, "dtype can require gradients")

ASKED_BY_HAND = (AskKind.ASSIGNMENT, AskKind.METHOD)
KINDS = {BOOL: "boolean", INTEGER: "integer"}


@rule.on(RequiresGradChanged)
def check(event: RequiresGradChanged) -> Findings:
    """Report a loop over tensors of several kinds; one of one kind is no mistake, and one for several may be either."""
    if not event.to <= YES or (event.tensor.dtype <= DISCRETE and all(one.dtype <= DISCRETE for one in event.each)):
        return
    discrete = [tensor for tensor in event.each if tensor.dtype.possibly(DISCRETE)]
    if discrete:
        first = min(discrete, key=lambda tensor: not tensor.dtype <= DISCRETE)
        kind = KINDS.get(first.dtype, "integer or boolean")
        name = event.name if event.by in ASKED_BY_HAND else ""
        draft = rule.at(event.node, kind=kind, name=quoted(name, "its variable"), variable=name or "tensor")
        draft = draft.marked(first.causes, made=f"the {kind} one is made here")
        if name.isidentifier():
            guard = f"if {_condition(event)}:"
            draft = draft.fix(Edit("put alone under", event.statement or event.node, guard), safety="unsafe")
        yield (
            draft
            if first.dtype <= DISCRETE
            else draft.lowered(LIKELY, "not every element is seen to be of this kind", Question.TORCH)
        )


def _condition(event: RequiresGradChanged) -> str:
    """Return the condition that holds of the tensors that can require grad."""
    is_complex = f" or {event.name}.is_complex()" if any(one.dtype.may(COMPLEX) for one in event.each) else ""
    return f"{event.name}.is_floating_point(){is_complex}"


@rule.bad
def every_entry_of_a_state_dict():
    from torch import nn

    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
    weights = model.state_dict()
    for name in weights:
        weights[name] = weights[name].clone()
    for weight in weights.values():
        weight.requires_grad_(True)  # GRD102
    return weights


@rule.good(cures=every_entry_of_a_state_dict)
def every_floating_point_entry():
    from torch import nn

    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))
    weights = model.state_dict()
    for name in weights:
        weights[name] = weights[name].clone()
    for weight in weights.values():
        if weight.is_floating_point():
            weight.requires_grad_(True)
    return weights


@rule.bad
def step_counter_beside_weights():
    import torch

    checkpoint = {"weight": torch.randn(3, 3), "bias": torch.zeros(3), "step": torch.tensor(100)}
    for tensor in checkpoint.values():
        tensor.requires_grad = True  # GRD102
    return checkpoint


@rule.good(cures=step_counter_beside_weights)
def step_counter_left_alone():
    import torch

    checkpoint = {"weight": torch.randn(3, 3), "bias": torch.zeros(3), "step": torch.tensor(100)}
    for tensor in checkpoint.values():
        if tensor.is_floating_point():
            tensor.requires_grad = True
    return checkpoint
