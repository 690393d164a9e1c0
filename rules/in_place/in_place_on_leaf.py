"""A leaf that requires grad cannot be written in place while gradients are on.

## Why it happens

A leaf is where a graph begins: backward will put the gradient with respect to *this* value into its
`.grad`. An operation in place would overwrite the value and make the same tensor the result of an
operation as well, so it could be a leaf no longer. torch forbids it for `w -= ...`, for methods that
end in an underscore, for `w[mask] = ...`, for `inplace=True` and for `out=`. Updates of weights are
not meant to be differentiated, and under `torch.no_grad()` they are allowed. A tensor that is filled
with results whose gradient is needed is none of these: under `no_grad()` that gradient would be lost
without a word, and what is only filled need not require grad itself.

## What it costs

The line raises `RuntimeError` whenever it is reached with gradients on.

## When it is right to ignore it

In a function that is only ever called with gradients off by callers in other files. Findings in
functions that are handed their tensors and whose callers are not seen are believed least and not
shown by default.
"""

from __future__ import annotations

from collections.abc import Mapping

from gradlint.domain import NO, YES, AskKind, CauseKind, Syntax, Tensor
from gradlint.events import ModuleFinished, RequiresGradChanged, WrittenInPlace
from gradlint.rule import LIKELY, Findings, Raises, Rule, is_under_more_tests

from ._writing import is_leaf_that_requires_grad, is_watched, refused

rule = Rule(
    "GRD301",
    "in-place-on-leaf",
    "in-place operation on {name}, a leaf that requires grad",
    help="wrap the update in `with torch.no_grad():`, or compute a new tensor (`w = w + 1`)",
    yields_to=("GRD303",),
)
consequence = Raises(RuntimeError, "leaf Variable that requires grad is being used in an in-place operation")
REFUSED_OUT = Raises(RuntimeError, "functions with out=... arguments don't support automatic differentiation")


@rule.on(WrittenInPlace)
def check(event: WrittenInPlace) -> Findings:
    if is_watched(event) and event.base is None and is_leaf_that_requires_grad(event.target):
        yield refused(rule, event).marked(event.target.causes, asked="asked to require grad here")


BY_HAND = frozenset({AskKind.ASSIGNMENT, AskKind.METHOD})
MAKING = (CauseKind.MADE, CauseKind.CUT)
"""The causes that tell where a tensor was made, by a factory or out of another one."""


@rule.on(ModuleFinished)
def check_one_path(end: ModuleFinished) -> Findings:
    """Report a leaf that is asked for gradients under a condition, and written without that condition."""
    asked: dict[Syntax, RequiresGradChanged] = {}
    for event in end.story:
        if isinstance(event, RequiresGradChanged) and event.by in BY_HAND and event.to <= YES:
            asked[event.node] = event
        elif isinstance(event, WrittenInPlace) and asked and _is_refused_on_one_path(event):
            before = _asked_under_a_condition(event, asked)
            if before is not None:
                draft = refused(rule, event).note(before.node, "asked to require grad here, where this comes by")
                yield draft.resting_on(event, before).lowered(LIKELY, "the two may never happen in one run")


def _is_refused_on_one_path(event: WrittenInPlace) -> bool:
    """Return whether a leaf, no view, is written that some path to it has asked for gradients and another not."""
    known = is_watched(event) and event.base is None and not (event.expected or event.after_error)
    return known and event.target.leaf <= YES and _is_of_two_paths(event.target)


def _is_of_two_paths(tensor: Tensor) -> bool:
    """Return whether the flag of one tensor depends on the path, rather than which tensor it is."""
    flag, made = tensor.requires_grad, [mark.kind for mark in tensor.causes if mark.kind in MAKING]
    alone = made == [CauseKind.MADE] and not (flag.is_unsure or tensor.is_summary or tensor.base)
    return alone and flag.may(YES) and flag.may(NO)


def _asked_under_a_condition(
    event: WrittenInPlace, asked: Mapping[Syntax, RequiresGradChanged]
) -> RequiresGradChanged | None:
    """Return the request in the same run, under all tests of the write and another one."""
    places = [mark.node for mark in event.target.causes if mark.kind is CauseKind.ASKED]
    found = (one for node in places if (one := asked.get(node)) is not None)
    return next((one for one in found if is_under_more_tests(one, event)), None)


@rule.bad
def scaled_where_it_may_be_learned():
    import torch

    class Gain:
        learned = len(torch.__version__) > 0

        def __init__(self):
            self.start = torch.ones(3)
            if self.learned:
                self.start.requires_grad_()
            self.start *= 0.5  # GRD301

    return Gain().start


@rule.good(cures=scaled_where_it_may_be_learned)
def scaled_before_it_is_learned():
    import torch

    class Gain:
        learned = len(torch.__version__) > 0

        def __init__(self):
            self.start = torch.ones(3)
            self.start *= 0.5
            if self.learned:
                self.start.requires_grad_()

    return Gain().start


@rule.bad
def gradient_descent_by_hand():
    import torch

    weight = torch.zeros(3, requires_grad=True)
    loss = (weight - 1).pow(2).sum()
    loss.backward()
    weight -= 0.1 * weight.grad  # GRD301
    return weight


@rule.good(cures=gradient_descent_by_hand)
def gradient_descent_without_recording():
    import torch

    weight = torch.zeros(3, requires_grad=True)
    loss = (weight - 1).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
    return weight


@rule.bad
def bias_filled_in_the_constructor():
    import torch
    from torch import nn

    class Gate(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 4)
            self.linear.bias.fill_(1.0)  # GRD301

        def forward(self, x):
            return torch.sigmoid(self.linear(x))

    return Gate()


@rule.good(cures=bias_filled_in_the_constructor)
def bias_filled_by_init():
    import torch
    from torch import nn

    class Gate(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(4, 4)
            nn.init.constant_(self.linear.bias, 1.0)

        def forward(self, x):
            return torch.sigmoid(self.linear(x))

    return Gate()


@rule.bad(shows=REFUSED_OUT)
def sum_written_into_a_leaf():
    import torch

    offset = torch.zeros(3, requires_grad=True)
    torch.add(offset, 1.0, out=offset)  # GRD301
    return offset


@rule.good(cures=sum_written_into_a_leaf)
def sum_written_without_recording():
    import torch

    offset = torch.zeros(3, requires_grad=True)
    with torch.no_grad():
        torch.add(offset, 1.0, out=offset)
    return offset


@rule.bad
def outputs_written_by_index():
    import torch
    from torch import nn

    model = nn.Linear(3, 1)
    outputs = torch.zeros(2, requires_grad=True)
    for index, row in enumerate(torch.ones(2, 3)):
        outputs[index] = model(row).sum()  # GRD301
    outputs.sum().backward()
    return model


@rule.good(cures=outputs_written_by_index)
def outputs_written_into_what_does_not_ask():
    import torch
    from torch import nn

    model = nn.Linear(3, 1)
    outputs = torch.zeros(2)
    for index, row in enumerate(torch.ones(2, 3)):
        outputs[index] = model(row).sum()
    outputs.sum().backward()
    return model


@rule.good(cures=outputs_written_by_index)
def outputs_stacked():
    import torch
    from torch import nn

    model = nn.Linear(3, 1)
    outputs = torch.stack([model(row).sum() for row in torch.ones(2, 3)])
    outputs.sum().backward()
    return model


@rule.good(cures=outputs_written_by_index)
def outputs_written_into_a_clone():
    import torch
    from torch import nn

    model = nn.Linear(3, 1)
    outputs = torch.zeros(2, requires_grad=True).clone()
    for index, row in enumerate(torch.ones(2, 3)):
        outputs[index] = model(row).sum()
    outputs.sum().backward()
    return model
