"""Gradients cannot be switched on inside inference mode.

## Why it happens

`torch.inference_mode()` is more than `torch.no_grad()`: tensors made in it carry no version counter and
nothing is recorded, whatever the grad mode says. `torch.enable_grad()` inside it does set the grad mode,
`torch.is_grad_enabled()` answers True and a leaf may even be asked to require grad, but no operation is
put into a graph. Inside `torch.no_grad()` the same lines work.

## What it costs

`backward()` and `torch.autograd.grad()` raise `RuntimeError`: what they are to differentiate has no
graph.

## When it is right to ignore it

In a test that expects the error. A block of `torch.inference_mode(False)` ends inference mode, so what
is computed there from tensors that were made there is not reported.
"""

from __future__ import annotations

from gradlint.domain import YES, CutKind
from gradlint.events import BackwardRun
from gradlint.rule import Findings, Raises, Rule, quoted

from ._without_graph import SAYING, instead_of_inference, noted, reasons

rule = Rule(
    "GRD408",
    "nested-enable-grad",
    "{name} was computed in inference mode, where `torch.enable_grad()` has no effect",
    help="use `torch.no_grad()` instead of `torch.inference_mode()`",
    tokens=("inference_mode", "backward", "autograd"),
)
consequence = Raises(RuntimeError, SAYING)


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    if CutKind.IN_VAIN in reasons(event):
        draft = rule.at(event.node, name=quoted(event.name, "the output"))
        marks = event.root.causes
        if event.root.inference <= YES:
            draft = instead_of_inference(draft, marks, "unsafe")
        draft = draft.marked(marks, inference="inference mode is on from here")
        yield noted(draft, event, CutKind.IN_VAIN, "has no effect in inference mode")


@rule.bad
def input_gradient_inside_a_prediction():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)

    @torch.inference_mode()
    def sensitivity(batch):
        with torch.enable_grad():
            batch = batch.clone().requires_grad_(True)
            score = model(batch).sum()
            return torch.autograd.grad(score, batch)[0]  # GRD408

    return sensitivity(torch.ones(1, 2))


@rule.good(cures=input_gradient_inside_a_prediction)
def input_gradient_inside_no_grad():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)

    @torch.no_grad()
    def sensitivity(batch):
        with torch.enable_grad():
            batch = batch.clone().requires_grad_(True)
            score = model(batch).sum()
            return torch.autograd.grad(score, batch)[0]

    return sensitivity(torch.ones(1, 2))


@rule.bad
def adaptation_during_evaluation():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.inference_mode():
        for _ in range(2):
            torch.set_grad_enabled(True)
            entropy = -model(torch.ones(3, 4)).log_softmax(-1).mean()
            optimizer.zero_grad()
            entropy.backward()  # GRD408
            optimizer.step()
    return model


@rule.good(cures=adaptation_during_evaluation)
def adaptation_outside_of_inference_mode():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.inference_mode(), torch.inference_mode(False):
        for _ in range(2):
            torch.set_grad_enabled(True)
            entropy = -model(torch.ones(3, 4)).log_softmax(-1).mean()
            optimizer.zero_grad()
            entropy.backward()
            optimizer.step()
    return model
