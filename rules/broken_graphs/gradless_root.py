"""Nothing can be differentiated that was computed from nothing that requires grad.

## Why it happens

A tensor does not require grad unless it is asked to: `torch.tensor([1.0, 2.0])` is a constant, and so is
all that is computed from constants. Only parameters of modules ask by themselves. A model that was frozen
as a whole computes constants, too. What was computed has no flag to be set: the cure goes to what it is computed
from, before that is done.

## What it costs

`backward()` raises `RuntimeError`, and so does `torch.autograd.grad()`.

## When it is right to ignore it

Where an error is what is to be shown. What left its graph by a detour, through gradients that were off, `.item()`
or `.detach()`, is reported by the rules that speak of these. Where another call gets to the same `backward()` with
a graph and a test that gradlint cannot decide stands before it, the finding is only possible.
"""

from __future__ import annotations

from gradlint.domain import NO, YES, AskKind, Cause, CauseKind
from gradlint.events import BackwardRun, ModuleFinished
from gradlint.rule import POSSIBLE, Draft, Findings, Question, Raises, Rule, may_be_told_apart, quoted

rule = Rule(
    "GRD619",
    "gradless-root",
    "{name} does not require grad and has no graph to differentiate",
    help="call `requires_grad_()` on the inputs before the forward pass",
    yields_to=("GRD404", "GRD408", "GRD409", "GRD601", "GRD602", "GRD603", "GRD604", "GRD612", "GRD613", "GRD911"),
    tokens=("backward", "grad"),
)
consequence = Raises(RuntimeError, "does not require grad and does not have a grad_fn")


UNFREEZE = "pass `freeze=False` to `from_pretrained()`, or leave it out of what is differentiated"
THAW = "limit {} to parts that are not trained, or call `requires_grad_()` on the input"


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    runs = [event for event in end.story if isinstance(event, BackwardRun)]
    recorded = [event for event in runs if event.root.requires_grad.may(YES)]
    for event in runs:
        if event.expected or event.after_error or not event.root.requires_grad <= NO:
            continue
        draft = _at(event).resting_on(event)
        if any(one.node is event.node and may_be_told_apart(event, one, end) for one in recorded):
            draft = draft.lowered(POSSIBLE, "a test that nobody can decide may tell the two ways apart", Question.TORCH)
        yield draft.marked(event.root.causes, made="computed here", frozen="frozen here")


def _at(event: BackwardRun) -> Draft:
    name = quoted(event.name, "the output")
    frozen = next((mark for mark in event.root.causes if mark.kind == CauseKind.FROZEN), None)
    if frozen is None:
        return rule.at(event.node, name=name)
    if frozen.how is AskKind.PRETRAINED:
        return rule.at(event.node, name=name).advising(UNFREEZE)
    return rule.at(event.node, name=name).advising(THAW.format(spelled(frozen)))


def spelled(mark: Cause) -> str:
    """Return the spelling of what froze something in the program."""
    flag = "requires_grad = False" if mark.how is AskKind.ASSIGNMENT else "requires_grad_(False)"
    return f"`{mark.name}.{flag}`" if mark.name else f"`{flag}`"


@rule.bad
def slope_of_a_constant():
    import torch

    x = torch.tensor([1.0, 2.0])
    area = (x**2).sum()
    area.backward()  # GRD619
    return x


@rule.good(cures=slope_of_a_constant)
def slope_of_what_was_asked():
    import torch

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    area = (x**2).sum()
    area.backward()
    return x


@rule.bad
def loss_of_a_frozen_model():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    model.requires_grad_(False)
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()  # GRD619
    return model


@rule.good(cures=loss_of_a_frozen_model)
def loss_of_a_model_whose_head_is_trained():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    model[0].requires_grad_(False)
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()
    return model


@rule.bad
def loss_of_a_loop_over_all_parameters():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    for parameter in model.parameters():
        parameter.requires_grad = False
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()  # GRD619
    return model


@rule.good(cures=loss_of_a_loop_over_all_parameters)
def loss_of_a_loop_over_the_backbone():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    for parameter in model[0].parameters():
        parameter.requires_grad = False
    loss = model(torch.ones(2, 4)).mean()
    loss.backward()
    return model


@rule.good(cures=loss_of_a_loop_over_all_parameters)
def input_asked_for_its_gradient():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    for parameter in model.parameters():
        parameter.requires_grad = False
    loss = model(torch.ones(2, 4).requires_grad_()).mean()
    loss.backward()
    return model
