"""What is computed while gradients are off cannot be differentiated.

## Why it happens

Backward walks the graph that the forward pass recorded. Under `torch.no_grad()`, in inference mode or
after `torch.set_grad_enabled(False)` nothing is recorded: the loss is a plain number in a tensor, with
no `grad_fn` and `requires_grad` False. It does not help to call `backward()` outside the block; what
counts is the mode in which the operations ran. The opposite is legal: `backward()` itself may run with
gradients off, because the graph it walks is there already.

## What it costs

`backward()` and `torch.autograd.grad()` raise `RuntimeError` whenever they are reached.

## When it is right to ignore it

In a test that expects the error. A loss that some path computes with gradients on, or that is told to
require grad afterwards, is not reported. Where another call gets to the same `backward()` with a graph and
a test that gradlint cannot decide stands before it, that test may well tell the two apart: then the finding
is only possible.
"""

from __future__ import annotations

from gradlint.domain import YES, CutKind
from gradlint.events import BackwardRun, ModuleFinished
from gradlint.rule import POSSIBLE, Findings, Question, Raises, Rule, may_be_told_apart, quoted

from ._without_graph import MODE_WORDS, SAYING, noted, reasons

rule = Rule(
    "GRD404",
    "backward-under-no-grad",
    "{name} was computed with gradients disabled, so there is no graph to differentiate",
    help="move the forward pass out of `torch.no_grad()`, or enable gradients with `torch.enable_grad()`",
    yields_to=("GRD405", "GRD409"),
    tokens=("backward", "autograd", *MODE_WORDS),
)
consequence = Raises(RuntimeError, SAYING)


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    runs = [event for event in end.story if isinstance(event, BackwardRun)]
    recorded = [event for event in runs if event.root.requires_grad.may(YES)]
    for event in runs:
        if event.expected or event.after_error or reasons(event) != {CutKind.MODE}:
            continue
        draft = rule.at(event.node, name=quoted(event.name, "the output")).resting_on(event)
        if any(one.node is event.node and may_be_told_apart(event, one, end) for one in recorded):
            draft = draft.lowered(POSSIBLE, "a test that nobody can decide may tell the two ways apart", Question.TORCH)
        yield noted(draft, event, CutKind.MODE, "gradients are off here")


@rule.bad
def loss_computed_under_no_grad():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    with torch.no_grad():
        loss = model(torch.ones(1, 2)).sum()
    loss.backward()  # GRD404
    return model.weight.grad


@rule.good(cures=loss_computed_under_no_grad)
def loss_computed_with_gradients_on():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    loss = model(torch.ones(1, 2)).sum()
    loss.backward()
    return model.weight.grad


@rule.bad
def whole_step_under_no_grad():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(8, 4), torch.zeros(8, dtype=torch.long)
    with torch.no_grad():
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()  # GRD404
        optimizer.step()
    return model


@rule.good(cures=whole_step_under_no_grad)
def whole_step_with_gradients_on():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.randn(8, 4), torch.zeros(8, dtype=torch.long)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return model


@rule.bad
def input_gradient_in_inference_mode():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)).eval()
    image = torch.rand(1, 4, requires_grad=True)
    with torch.inference_mode():
        score = model(image).sum()
    (saliency,) = torch.autograd.grad(score, image)  # GRD404
    return saliency


@rule.good(cures=input_gradient_in_inference_mode)
def input_gradient_with_a_graph():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)).eval()
    image = torch.rand(1, 4, requires_grad=True)
    score = model(image).sum()
    (saliency,) = torch.autograd.grad(score, image)
    return saliency
