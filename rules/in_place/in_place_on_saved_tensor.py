"""A tensor that an operation has saved for backward cannot be written in place before that backward.

## Why it happens

Many operations keep what their derivative needs: `exp`, `sigmoid`, `tanh`, `softmax` and `relu` their result, `mul`
and `matmul` their operands, a convolution its input. torch keeps no copy but the tensor itself with the number of
times it was written until then. When backward reads it and finds that it was written since, the gradient would be
wrong, and torch refuses. Operations whose derivative is a constant (`add`, `sum`, `mean`, `reshape`) save nothing, so
the same write after one of them is fine, and so is `relu_` after a convolution.

## What it costs

`backward()` raises `RuntimeError`, far from the line that is wrong and without naming it. The finding stands at that
line, the write; a note stands at the `backward()` of the traceback.

## When it is right to ignore it

Never where it is reported: the saved value was certainly written before this backward.
"""

from __future__ import annotations

from gradlint.domain import Cause, CauseKind, Node, Syntax
from gradlint.events import BackwardRun, ModuleFinished, WrittenInPlace
from gradlint.rule import LIKELY, Draft, Edit, Findings, Raises, Rule, is_under_more_tests, quoted

from ._spoiling import CALLS, marks_of_one_path, operation, written_marks

rule = Rule(
    "GRD304",
    "in-place-on-saved-tensor",
    "{call} raises: {name} was modified in place after {op} saved it for backward",
    help="compute a new tensor (`y = y + 1`, `relu(y)` without `inplace=True`), or write into a `clone()`",
    effect="error later",
    tokens=("backward", "grad"),
)
consequence = Raises(RuntimeError, "has been modified by an inplace operation", later=True)


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    for node, mark in written_marks(event, CauseKind.WRITTEN, CauseKind.LOADED):
        yield _at(mark, node, event, quoted(mark.name, "a tensor"))
        return


@rule.on(ModuleFinished)
def check_one_path(end: ModuleFinished) -> Findings:
    """Report a write to a saved tensor under a test that the backward is not under."""
    written: dict[tuple[int, Syntax], WrittenInPlace] = {}
    for event in end.story:
        if isinstance(event, WrittenInPlace):
            written[event.run, event.node] = event
        elif isinstance(event, BackwardRun) and not (event.expected or event.after_error):
            for node, mark in marks_of_one_path(event, CauseKind.WRITTEN):
                write = written.get((event.run, mark.node))
                if write is not None and is_under_more_tests(write, event):
                    draft = _at(mark, node, event, f"on one path {quoted(mark.name, 'a tensor')}")
                    yield draft.resting_on(event, write).lowered(LIKELY, "the two may never happen in one run")
                    break


def _at(mark: Cause, node: Node, event: BackwardRun, name: str) -> Draft:
    """The finding at the write, pointing at where the value was saved and at the backward that raises. Its fix: under a
    name of its own the copy can be written, unless that is saved by what writes it."""
    draft = rule.at(mark.node, call=CALLS[event.how], name=name, op=operation(node))
    if node.at is not mark.node:
        draft = draft.note(node.at, f"{operation(node)} saved it here")
    draft = draft.raising(event.node)
    if not mark.name.isidentifier() or mark.by == "itself":
        return draft
    return draft.fix(Edit("insert before", mark.node, f"{mark.name} = {mark.name}.clone()"), safety="unsafe")


@rule.bad
def result_of_exp_shifted():
    import torch

    rate = torch.zeros(3, requires_grad=True)
    scale = rate.exp()
    scale += 1e-6  # GRD304
    scale.sum().backward()
    return rate


@rule.good(cures=result_of_exp_shifted)
def result_of_exp_and_a_new_tensor():
    import torch

    rate = torch.zeros(3, requires_grad=True)
    scale = rate.exp()
    scale = scale + 1e-6
    scale.sum().backward()
    return rate


@rule.bad
def activation_in_place_behind_tanh():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.ReLU(inplace=True), nn.Linear(8, 1))
    loss = model(torch.ones(2, 4)).mean()  # GRD304
    loss.backward()
    return model


@rule.good(cures=activation_in_place_behind_tanh)
def activation_behind_tanh():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.ReLU(), nn.Linear(8, 1))
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()
    return model


@rule.bad
def gate_thresholded_after_use():
    import torch
    from torch import nn

    gating, body = nn.Linear(4, 4), nn.Linear(4, 4)
    x = torch.ones(2, 4)
    gate = torch.sigmoid(gating(x))
    out = gate * body(x)
    gate[gate < 0.5] = 0.0  # GRD304
    out.sum().backward()
    return gate


@rule.good(cures=gate_thresholded_after_use)
def copy_of_the_gate_thresholded():
    import torch
    from torch import nn

    gating, body = nn.Linear(4, 4), nn.Linear(4, 4)
    x = torch.ones(2, 4)
    gate = torch.sigmoid(gating(x))
    out = gate * body(x)
    gate = gate.detach().clone()
    gate[gate < 0.5] = 0.0
    out.sum().backward()
    return gate
