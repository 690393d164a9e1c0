"""A tensor that requires grad cannot become a NumPy array.

## Why it happens

A NumPy array shares the tensor's memory and knows nothing of the graph: whatever is computed from it
would be missing from the gradient. torch therefore refuses `numpy()` while gradients are on, and so does
every NumPy function that is handed such a tensor. `detach()` says that leaving the graph is meant.

## What it costs

The line raises `RuntimeError`. In torch 2.13 it does not raise while gradients are off
(`with torch.no_grad():`), even for tensors that require grad.

## When it is right to ignore it

In a function that is only ever called with gradients off, by callers that the project does not show. Where other
files of a small project call it, and gradients are off wherever they do, it is not reported.
"""

from __future__ import annotations

from gradlint.domain import YES, Tensor
from gradlint.events import Called
from gradlint.rule import LIKELY, Edit, Findings, Question, Raises, Rule, quoted

rule = Rule(
    "GRD615",
    "numpy-on-grad-tensor",
    "{name} requires grad and cannot be converted to a NumPy array",
    help="use `{cure}`",
    tokens=("numpy",),
)
consequence = Raises(RuntimeError, "Can't call numpy() on Tensor that requires grad")

FUNCTIONS = tuple(
    f"numpy.{name}"
    for name in (
        "array asarray asanyarray ascontiguousarray sqrt exp log abs square sin cos tanh sign floor ceil isnan isinf "
        "isfinite add subtract multiply divide dot argmax clip reshape"
    ).split()
)
"""Functions that make an array of a tensor they are passed."""


@rule.on(Called, "torch.Tensor.numpy", "torch.Tensor.__array__")
def check(event: Called) -> Findings:
    tensor, forced = next(iter(event.args), None), len(event.args) > 1 or event.keywords
    if isinstance(tensor, Tensor) and not forced and _is_refused(event, tensor):
        name = event.name or "x"
        draft = rule.at(event.node, name=quoted(event.name, "the tensor"), cure=f"{name}.detach().numpy()")
        draft = (
            draft.lowered(LIKELY, "callers that nobody sees may have switched gradients off", Question.TORCH)
            if event.assumed_mode
            else draft
        )
        yield draft.fix(Edit("rename", event.node, "detach().numpy"), safety="safe")


@rule.on(Called, *FUNCTIONS)
def check_function(event: Called) -> Findings:
    for tensor in event.args:
        if isinstance(tensor, Tensor) and not tensor.may_be_structured and _is_refused(event, tensor):
            draft = rule.at(event.node, name="an argument", cure="x.detach()")
            yield (
                draft.lowered(LIKELY, "callers that nobody sees may have switched gradients off", Question.TORCH)
                if event.assumed_mode
                else draft
            )


def _is_refused(event: Called, tensor: Tensor) -> bool:
    return event.grad_mode <= YES and tensor.requires_grad <= YES


@rule.bad
def output_of_a_model():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    scores = model(torch.ones(3, 2))
    return scores.cpu().numpy()  # GRD615


@rule.good(cures=output_of_a_model)
def output_detached():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    scores = model(torch.ones(3, 2))
    return scores.cpu().detach().numpy()


@rule.bad
def weight_handed_to_numpy():
    import numpy as np
    from torch import nn

    model = nn.Linear(2, 1)
    return np.abs(model.weight)  # GRD615


@rule.good(cures=weight_handed_to_numpy)
def weight_detached_for_numpy():
    import numpy as np
    from torch import nn

    model = nn.Linear(2, 1)
    return np.abs(model.weight.detach())
