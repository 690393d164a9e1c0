"""`nn.Parameter(x)` of a computed tensor cuts the graph that `x` came from.

## Why it happens

A parameter is a leaf: it has no history. Wrapping the result of an operation keeps its values and drops
how they were computed, so nothing before it gets a gradient. A tensor that is computed from parameters
requires grad already and is differentiated as it is.

## What it costs

What the tensor was computed from has no gradient (None) and is not trained, without a word. Made in
`forward`, the new parameter itself is dropped after the call.

## When it is right to ignore it

When new layers are made out of old weights (`layer.weight = nn.Parameter(old.weight[:k].clone())`), the history is
meant to be dropped. Outside of `forward`, what is assigned to an attribute or not differentiated nearby is therefore
believed least and not shown by default.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import AskKind, Cause, CauseKind, CutKind, Tensor
from gradlint.events import AttributeAssigned, BackwardRun, ModuleFinished, RequiresGradChanged, Run
from gradlint.rule import POSSIBLE, Findings, Rule

from ._cutting import kind_of

rule = Rule(
    "GRD609",
    "output-wrapped-in-parameter",
    "`nn.Parameter` detaches the computed tensor from its graph",
    help="use the tensor itself, which already requires grad",
    effect="wrong result",
    tokens=("Parameter",),
)


def consequence(returned: Any) -> bool:
    """The parameter that the tensor was computed from has no gradient."""
    return returned.grad is None


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    runs = {run.index: run for run in end.runs}
    kept = {mark.node for event in end.story if type(event) is AttributeAssigned for mark in _wrapped(event.value)}
    differentiated = {
        (mark.node, event.run)
        for event in end.story
        if type(event) is BackwardRun
        for leaf in event.leaves
        for mark in _wrapped(leaf)
    }
    for event in end.story:
        if type(event) is not RequiresGradChanged or event.by is not AskKind.PARAMETER:
            continue
        for mark in (mark for mark in _wrapped(event.tensor) if mark.node is event.node):
            at_once = (mark.node, event.run) in differentiated and mark.node not in kept
            draft = rule.at(event.node).resting_on(event)
            yield (
                draft
                if at_once or _in_forward(event.run, runs)
                else draft.lowered(POSSIBLE, "a new parameter of that value may be meant")
            )


def _wrapped(value: object) -> list[Cause]:
    """Return the causes by which a tensor with a history became a parameter."""
    marks = value.causes if isinstance(value, Tensor) else ()
    return [mark for mark in marks if mark.kind == CauseKind.CUT and kind_of(mark) is CutKind.PARAMETER]


def _in_forward(index: int, runs: dict[int, Run]) -> bool:
    """Return whether `forward` of a class is running, or a function that it called."""
    while (run := runs.get(index)) is not None:
        if run.function is not None and run.function.name == "forward" and run.function.owner is not None:
            return True
        index = run.parent
    return False


@rule.bad
def weight_scaled_and_wrapped():
    from torch import nn

    layer = nn.Linear(2, 2)
    weight = nn.Parameter(layer.weight * 2)  # GRD609
    weight.sum().backward()
    return layer.weight


@rule.good(cures=weight_scaled_and_wrapped)
def weight_scaled():
    from torch import nn

    layer = nn.Linear(2, 2)
    weight = layer.weight * 2
    weight.sum().backward()
    return layer.weight


@rule.bad
def hidden_state_wrapped_in_forward():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(2, 4), nn.Linear(4, 1)

        def forward(self, x):
            hidden = nn.Parameter(self.first(x))  # GRD609
            return self.second(hidden)

    net = Net()
    net(torch.ones(3, 2)).sum().backward()
    return net.first.weight


@rule.good(cures=hidden_state_wrapped_in_forward)
def hidden_state_as_it_is():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(2, 4), nn.Linear(4, 1)

        def forward(self, x):
            hidden = self.first(x)
            return self.second(hidden)

    net = Net()
    net(torch.ones(3, 2)).sum().backward()
    return net.first.weight
