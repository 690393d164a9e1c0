"""A penalty on a gradient is constant unless the gradient was taken with `create_graph=True`.

## Why it happens

`torch.autograd.grad` computes gradients and, unless it is told to, does not record how. Its result
requires no grad. A gradient penalty (WGAN-GP, R1, contractive losses, Jacobian regularisers) computed
from it is a constant for the next backward: it shows in the loss and not in the gradient. Just so a derivative in the
residual of a differential equation (`u_t + u`), which then trains the network by its value alone.

## What it costs

The penalty has no effect on the weights, without a word; the network trains as if it were not there.
Where the penalty is the whole loss, `backward()` raises `RuntimeError`.

## When it is right to ignore it

Gradients that are applied by hand, shown, or used as a step or a weight need no graph and are not
reported. What is reported is a number computed from such a gradient that is added to something
which is then differentiated.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, Cause, CutKind
from gradlint.events import BackwardRun, ModuleFinished
from gradlint.rule import LIKELY, Draft, Edit, Findings, Rule

from ._cutting import constant_terms, cut_by, kind_of
from ._residuals import ADDING, residuals

rule = Rule(
    "GRD612",
    "gradient-penalty-without-graph",
    "the {what} is a constant: `autograd.grad` recorded no graph",
    help="pass `create_graph=True` to `torch.autograd.grad`",
    effect="wrong result",
    yields_to=("GRD408",),
    tokens=("grad",),
)

PENALTY, DERIVATIVE = "penalty on the gradient", "derivative in the residual"


def consequence(returned: Any, cured: Any) -> bool:
    """The penalised parameter has no gradient, or another one than where the penalty counts."""
    return returned.grad is None or not returned.grad.equal(cured.grad)


@rule.on(BackwardRun)
def check_root(event: BackwardRun) -> Findings:
    """Report a penalty that is differentiated alone."""
    if event.root.requires_grad <= NO and (mark := cut_by(CutKind.DIFFERENTIATED, event.root.causes)) is not None:
        yield _at(mark, PENALTY).note(event.node, "nothing is left to be differentiated here")


@rule.on(ModuleFinished)
def check_term(end: ModuleFinished) -> Findings:
    """The penalty is a term of what is differentiated."""
    for marks, event in constant_terms(end, ADDING):
        for mark in marks:
            if kind_of(mark) is CutKind.DIFFERENTIATED:
                yield _at(mark, PENALTY).note(event.node, "added here as a constant").resting_on(event)


@rule.on(ModuleFinished)
def check_residual(end: ModuleFinished) -> Findings:
    """A derivative of what a network gives is a constant in the equation that it is to fulfil."""
    for found in residuals(end):
        draft = (
            _at(found.mark, DERIVATIVE)
            .note(found.sum.node, "a constant beside what it is the derivative of")
            .resting_on(found.sum)
        )
        yield draft.lowered(LIKELY, "it is taken for a part of an equation that the network is to fulfil")


def _at(mark: Cause, what: str) -> Draft:
    return rule.at(mark.node, what=what).fix(Edit("set keyword", mark.node, "create_graph", "True"), safety="safe")


@rule.bad
def penalty_beside_a_loss():
    import torch
    from torch import nn

    critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.ones(1, 2, requires_grad=True)
    (gradient,) = torch.autograd.grad(critic(x).sum(), x)  # GRD612
    penalty = (gradient.norm() - 1) ** 2
    loss = critic(x.detach()).mean() + 10 * penalty
    loss.backward()
    return critic[0].weight


@rule.good(cures=penalty_beside_a_loss)
def penalty_with_a_graph():
    import torch
    from torch import nn

    critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.ones(1, 2, requires_grad=True)
    (gradient,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    penalty = (gradient.norm() - 1) ** 2
    loss = critic(x.detach()).mean() + 10 * penalty
    loss.backward()
    return critic[0].weight


@rule.bad
def penalty_of_a_helper():
    import torch
    from torch import nn

    def penalised(critic, real):
        real = real.detach().requires_grad_()
        gradients = torch.autograd.grad(outputs=critic(real).sum(), inputs=real)[0]  # GRD612
        return gradients.pow(2).sum(1).mean()

    critic = nn.Sequential(nn.Linear(2, 4), nn.Softplus(), nn.Linear(4, 1))
    real = torch.ones(3, 2)
    loss = -critic(real).mean()
    (loss + penalised(critic, real)).backward()
    return critic[0].weight


@rule.good(cures=penalty_of_a_helper)
def penalty_of_a_helper_with_a_graph():
    import torch
    from torch import nn

    def penalised(critic, real):
        real = real.detach().requires_grad_()
        gradients = torch.autograd.grad(outputs=critic(real).sum(), inputs=real, create_graph=True)[0]
        return gradients.pow(2).sum(1).mean()

    critic = nn.Sequential(nn.Linear(2, 4), nn.Softplus(), nn.Linear(4, 1))
    real = torch.ones(3, 2)
    loss = -critic(real).mean()
    (loss + penalised(critic, real)).backward()
    return critic[0].weight


@rule.bad
def derivative_in_an_equation():
    import torch
    from torch import nn

    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    t = torch.linspace(0, 1, 5).view(-1, 1).requires_grad_()
    u = network(t)
    u_t = torch.autograd.grad(u.sum(), t, retain_graph=True)[0]  # GRD612
    residual = u_t + u
    residual.pow(2).mean().backward()
    return network[0].weight


@rule.good(cures=derivative_in_an_equation)
def derivative_with_a_graph():
    import torch
    from torch import nn

    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
    t = torch.linspace(0, 1, 5).view(-1, 1).requires_grad_()
    u = network(t)
    u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    residual = u_t + u
    residual.pow(2).mean().backward()
    return network[0].weight
