"""A gradient taken with `create_graph=True` is never differentiated, so its graph was recorded for nothing.

## Why it happens

`torch.autograd.grad(..., create_graph=True)` records how the gradient itself was computed, so that a backward can go
through it: a gradient penalty, the outer step of meta-learning, a residual of a differential equation. Often the
gradient never gets into the loss that is differentiated: the penalty is computed and not added, or the inner step is
written through `.data` or `load_state_dict()`, which take the numbers and leave the graph.

## What it costs

The term that was written down trains nothing, or the outer step is that of first order only. Nothing warns, and a
gradient with a graph takes more than twice the time and memory of one without.

## When it is right to ignore it

Where `create_graph=True` is a switch for code that is not shown. A gradient that is returned, kept on an object or
handed to such code is not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, Container, Syntax, Tensor
from gradlint.events import AttributeAssigned, GradientsGiven, ModuleFinished
from gradlint.rule import CERTAIN, LIKELY, Edit, Findings, Rule, only_tested

from ._kept import BY_NAME

rule = Rule(
    "GRD510",
    "unused-gradient-graph",
    "`create_graph=True` records a graph of the gradient that no backward goes through",
    help="differentiate what is computed from the gradient, or leave out `create_graph=True`",
    effect="memory",
    tokens=("create_graph",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """What was differentiated gave the parameters other gradients than where it goes through the gradient."""
    return not returned.grad.allclose(cured.grad)


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    places: dict[Syntax, list[GradientsGiven]] = {}
    for event in end.story:
        if isinstance(event, GradientsGiven):
            places.setdefault(event.node, []).append(event)
    reached = end.used | end.escaped | end.returned
    left, kept = dict(end.left), _kept(end) if places else frozenset()
    for node, found in places.items():
        if any(one.graph in reached or one.file or only_tested(one, end) or _is_kept(one, kept) for one in found):
            continue
        draft = rule.at(node).resting_on(*found).fix(Edit("drop keyword", node, "create_graph"), safety="unsafe")
        if (mark := next((left[one.graph] for one in found if one.graph in left), None)) is not None:
            draft = draft.note(mark.node, "what was computed from it leaves the graph here")
        by_name = any(one.graph in end.read_by_name for one in found)
        yield draft.lowered(LIKELY if by_name else CERTAIN, BY_NAME)


def _kept(end: ModuleFinished) -> frozenset[object]:
    """The tensors of which a gradient with a graph, or what is computed from it, is set on an object, a parameter even,
    from where it may come back on ways that nobody sees; and the runs in which containers are set on objects."""
    set_on = [event for event in end.story if isinstance(event, AttributeAssigned)]
    values = [one.value for one in set_on if isinstance(one.value, Tensor) and one.value.requires_grad.may(YES)]
    tensors: set[object] = {ref.key for value in values for ref in value.grad_of}
    return frozenset(tensors | {one.run for one in set_on if isinstance(one.value, Container)})


def _is_kept(given: GradientsGiven, kept: frozenset[object]) -> bool:
    return given.run in kept or any(ref.key in kept for one in given.gradients for ref in one.grad_of)


@rule.bad
def penalty_not_added():
    import torch
    from torch import nn

    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    point = torch.ones(3, 2, requires_grad=True)
    (slope,) = torch.autograd.grad(critic(point).sum(), point, create_graph=True)  # GRD510
    penalty = (slope.norm(dim=1) - 1).pow(2).mean()
    loss = critic(torch.zeros(3, 2)).mean()
    loss.backward()
    print(penalty.item())
    return critic[0].weight


@rule.good(cures=penalty_not_added)
def penalty_added():
    import torch
    from torch import nn

    torch.manual_seed(0)
    critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    point = torch.ones(3, 2, requires_grad=True)
    (slope,) = torch.autograd.grad(critic(point).sum(), point, create_graph=True)
    penalty = (slope.norm(dim=1) - 1).pow(2).mean()
    loss = critic(torch.zeros(3, 2)).mean() + penalty
    loss.backward()
    print(penalty.item())
    return critic[0].weight


@rule.bad
def inner_step_through_data():
    import torch

    start = torch.ones(3, requires_grad=True)
    inner = start * 1.0
    (slope,) = torch.autograd.grad(inner.pow(3).sum(), inner, create_graph=True)  # GRD510
    inner.data.sub_(0.1 * slope.data)
    inner.pow(2).sum().backward()
    return start


@rule.good(cures=inner_step_through_data)
def inner_step_in_the_graph():
    import torch

    start = torch.ones(3, requires_grad=True)
    inner = start * 1.0
    (slope,) = torch.autograd.grad(inner.pow(3).sum(), inner, create_graph=True)
    inner = inner - 0.1 * slope
    inner.pow(2).sum().backward()
    return start
