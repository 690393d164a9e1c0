"""What weighs the `log_prob` of a sample is not detached, so its own parameters are trained to make the weight small.

## Why it happens

The score function estimator trains what a sample was drawn from: `log_prob(sample)` times how good the sample was.
That weight, an advantage or a reward less a baseline, stands for a number. Where it is computed by a critic and
not detached, the product has a gradient for the critic as well: each time it pushes the critic's estimate to where
the loss of the policy is smallest, which is no estimate of anything.

## What it costs

The critic is trained by two losses, one of which has nothing to do with what it is to learn. Nothing warns; the policy
learns more slowly from worse advantages, or not at all.

## When it is right to ignore it

Where the weight is part of the model and the sample is data, as in a mixture of experts: only what was drawn with
`sample()` in sight is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gradlint.domain import NO, YES, CauseKind, Graph, Syntax, Tensor
from gradlint.events import ModuleCalled, ModuleFinished, Recorded, WrittenInPlace
from gradlint.rule import LIKELY, Findings, Rule

from ._terms import UNKNOWN, Ways, nodes_of

rule = Rule(
    "GRD620",
    "attached-score-weight",
    "the weight of the `log_prob` of a sample requires grad, and is trained by their product",
    help="detach the weight: `log_prob * advantage.detach()`",
    effect="wrong result",
    tokens=("log_prob",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """What computes the weight has another gradient than by its own loss alone."""
    return not returned.grad.allclose(cured.grad)


SCORES = frozenset({"log_prob"})
DRAWN = "sample"
"""The beginning of the operations that draw a sample without its gradient."""


@dataclass
class _Scores:
    """The results that are scores of samples: by the nodes that made them."""

    ways: Ways = field(default_factory=Ways)
    made: set[Graph] = field(default_factory=set)

    def hear(self, event: Recorded | ModuleCalled | WrittenInPlace) -> Recorded | None:
        """Take in an operation; hand it back if it multiplies a score by what other parameters computed."""
        self.ways.hear(event)
        if not isinstance(event, Recorded):
            return None
        live = [one for one in event.operands if one.requires_grad.may(YES)]
        scores = [one for one in live if self._is_score(one)]
        if (event.op in SCORES and any(_is_drawn(one) for one in event.operands)) or (
            scores and len(scores) == len(live)
        ):
            self.made.update(nodes_of(event.result))
        weights = [one for one in live if one not in scores and one.requires_grad <= YES]
        weighs = event.op == "mul" and scores and any(self._is_of_others(one, scores) for one in weights)
        return event if weighs else None

    def _is_score(self, tensor: Tensor) -> bool:
        nodes = nodes_of(tensor)
        return bool(nodes) and self.made.issuperset(nodes)

    def _is_of_others(self, weight: Tensor, scores: Sequence[Tensor]) -> bool:
        """Return whether a weight is computed from parameters that the scores are not computed from."""
        own = self.ways.reached_by(weight)
        for one in scores:
            own &= ~self.ways.reached_by(one)
        return bool(own & ~UNKNOWN)


def _is_drawn(tensor: Tensor) -> bool:
    """Return whether this is a sample through which no gradient goes."""
    cuts = (mark for mark in tensor.causes if mark.kind is CauseKind.CUT)
    return tensor.requires_grad <= NO and any(mark.by.startswith(DRAWN) for mark in cuts)


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    if not any(isinstance(one, Recorded) and one.op in SCORES for one in end.story):
        return
    scores, told = _Scores(), set[Syntax]()
    for event in end.story:
        found = scores.hear(event) if isinstance(event, Recorded | ModuleCalled | WrittenInPlace) else None
        if found is not None and found.node not in told and all(node in end.used for node in nodes_of(found.result)):
            told.add(found.node)
            yield rule.at(found.node).resting_on(found).lowered(LIKELY, "the weight may be trained on purpose")


@rule.bad
def advantage_of_a_live_critic():
    import torch
    from torch import nn
    from torch.distributions import Categorical

    torch.manual_seed(0)
    actor, critic = nn.Linear(3, 4), nn.Linear(3, 1)
    states, gains = torch.randn(6, 3), torch.randn(6)
    choice = Categorical(logits=actor(states))
    picked = choice.sample()
    advantage = gains - critic(states).squeeze(1)
    loss = -(choice.log_prob(picked) * advantage).mean()  # GRD620
    (loss + advantage.pow(2).mean()).backward()
    return critic.weight


@rule.good(cures=advantage_of_a_live_critic)
def advantage_detached():
    import torch
    from torch import nn
    from torch.distributions import Categorical

    torch.manual_seed(0)
    actor, critic = nn.Linear(3, 4), nn.Linear(3, 1)
    states, gains = torch.randn(6, 3), torch.randn(6)
    choice = Categorical(logits=actor(states))
    picked = choice.sample()
    advantage = gains - critic(states).squeeze(1)
    loss = -(choice.log_prob(picked) * advantage.detach()).mean()
    (loss + advantage.pow(2).mean()).backward()
    return critic.weight
