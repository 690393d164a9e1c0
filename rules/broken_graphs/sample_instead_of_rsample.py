"""`sample()` cuts the graph; `rsample()` is the sample that can be differentiated.

## Why it happens

A distribution of torch draws `sample()` without recording it: the sample depends on the parameters, but no
gradient goes back to them. `rsample()` draws noise first and computes the sample from it and the parameters
(the reparametrisation trick), which is recorded. A variational autoencoder or a policy trained through its
action needs the second; the score function estimator (`log_prob(sample)` times a reward) the first.

## What it costs

What computes the parameters of the distribution gets no gradient from what the sample is used for, without a word. What
comes behind the sample is trained as ever, so that the loss goes down.

## When it is right to ignore it

Where the sample is meant as data. Samples whose `log_prob` is taken, discrete distributions (they have no
`rsample`), and samples drawn with gradients off are not reported. The rule is off unless asked for; where
the parameters get no gradient at all, GRD618 says so.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, Cause, CauseKind, Syntax
from gradlint.events import BackwardRun, ModuleFinished, Recorded
from gradlint.rule import Edit, Findings, Rule

rule = Rule(
    "GRD610",
    "sample-instead-of-rsample",
    "`sample()` detaches its result from the parameters of the distribution",
    help="use `rsample()`, which is differentiable",
    effect="wrong result",
    yields_to=("GRD618",),
    default=False,
    tokens=("sample",),
)

SCORED = frozenset({"log_prob", "cdf"})
"""Operations by which a sample is judged: then it is data."""


def consequence(returned: Any) -> bool:
    """What computes the parameters of the distribution has no gradient."""
    return returned.grad is None


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    drawn: dict[Syntax, Recorded] = {}
    scored: set[Syntax] = set()
    used: set[Syntax] = set()
    for event in end.story:
        if type(event) is BackwardRun:
            used |= _samples(event.root.causes)
        if type(event) is not Recorded:
            continue
        if event.op == "sample" and event.grad_mode <= YES and any(one.requires_grad <= YES for one in event.operands):
            drawn[event.node] = event
        if event.op in SCORED and event.operands:
            scored |= _samples(event.operands[-1].causes)  # what is judged comes behind the parameters
        for one in event.operands:
            if one.requires_grad <= NO and (found := _samples(one.causes)):
                used |= found if any(node and node.key in end.used for node in event.result.node) else set()
    for node, event in drawn.items():
        if node in used and node not in scored:
            draft = rule.at(node).resting_on(event)
            yield draft.fix(Edit("rename", node, "rsample"), safety="unsafe")


def _samples(marks: tuple[Cause, ...]) -> set[Syntax]:
    """Return the places where a sample left the graph."""
    return {mark.node for mark in marks if mark.kind == CauseKind.CUT and mark.by == "sample"}


@rule.bad
def latent_code():
    import torch
    from torch import nn

    encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
    mean = encoder(torch.ones(3, 4))
    code = torch.distributions.Normal(mean, 1.0).sample()  # GRD610
    decoder(code).pow(2).mean().backward()
    return encoder.weight


@rule.good(cures=latent_code)
def reparametrised_latent_code():
    import torch
    from torch import nn

    encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
    mean = encoder(torch.ones(3, 4))
    code = torch.distributions.Normal(mean, 1.0).rsample()
    decoder(code).pow(2).mean().backward()
    return encoder.weight


@rule.bad
def action_of_a_policy():
    import torch
    from torch import nn
    from torch.distributions import Uniform

    policy, critic = nn.Linear(4, 2), nn.Linear(2, 1)
    width = policy(torch.ones(3, 4)).exp()
    action = Uniform(-width, width).sample()  # GRD610
    loss = -critic(action).mean()
    loss.backward()
    return policy.weight


@rule.good(cures=action_of_a_policy)
def reparametrised_action():
    import torch
    from torch import nn
    from torch.distributions import Uniform

    policy, critic = nn.Linear(4, 2), nn.Linear(2, 1)
    width = policy(torch.ones(3, 4)).exp()
    action = Uniform(-width, width).rsample()
    loss = -critic(action).mean()
    loss.backward()
    return policy.weight
