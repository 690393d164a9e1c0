"""`torch.autograd.grad` cannot differentiate by a tensor that is not in the graph.

## Why it happens

`autograd.grad(outputs, inputs)` follows the graph from the outputs and gives a gradient for each input it
meets. An input that does not require grad is in no graph. One that does, but from which the output was not
computed (it was asked to require grad, detached or made anew after the forward, or a view of it was taken for
this call) is never met.

## What it costs

The line raises `RuntimeError`. `allow_unused=True` gives None for an input that was not met, and
`materialize_grads=True` gives zeros; for one that does not require grad both raise all the same (torch 2.13).

## When it is right to ignore it

Never known to be where it is reported: the line cannot run through.
"""

from __future__ import annotations

from gradlint.domain import NO, YES
from gradlint.events import BackwardRun
from gradlint.rule import Draft, Findings, Raises, Rule

rule = Rule(
    "GRD613",
    "unreachable-gradient",
    "`autograd.grad` cannot differentiate with respect to {what}",
    help="pass tensors that require grad and that the output was computed from",
    yields_to=("GRD404", "GRD408", "GRD409", "GRD601", "GRD602", "GRD603", "GRD604"),
    tokens=("grad",),
)
consequence = Raises(RuntimeError, "One of the differentiated Tensors does not require grad")
NOT_USED = Raises(RuntimeError, "appears to not have been used in the graph")


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    if event.how != "grad":
        return
    for tensor in event.inputs or ():
        if tensor.requires_grad <= NO:
            draft = _at(
                event, "a tensor that does not require grad", "call `requires_grad_()` on it before the forward pass"
            )
            yield draft.marked(tensor.causes, made="the tensor is created here", cut="the tensor is detached here")
            return
    if event.unreached <= YES and event.allow_unused <= NO:
        draft = _at(event, "a tensor outside the graph", "pass a tensor that the output was computed from")
        inputs = event.inputs or ()
        yield draft.marked(inputs[0].causes, made="the tensor is created here") if len(inputs) == 1 else draft


def _at(event: BackwardRun, what: str, cure: str) -> Draft:
    return rule.at(event.node, what=what).advising(cure)


@rule.bad
def input_that_requires_no_grad():
    import torch

    x = torch.ones(2)
    w = torch.ones(2, requires_grad=True)
    y = (x * w).sum()
    return torch.autograd.grad(y, x)  # GRD613


@rule.good(cures=input_that_requires_no_grad)
def input_asked_beforehand():
    import torch

    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    y = (x * w).sum()
    return torch.autograd.grad(y, x)


@rule.bad(shows=NOT_USED)
def input_made_anew_after_the_forward():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    x = torch.ones(3, 2)
    score = model(x).sum()
    x = x.clone().requires_grad_()
    return torch.autograd.grad(score, x)  # GRD613


@rule.good(cures=input_made_anew_after_the_forward)
def input_made_before_the_forward():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    x = torch.ones(3, 2)
    x = x.clone().requires_grad_()
    score = model(x).sum()
    return torch.autograd.grad(score, x)
