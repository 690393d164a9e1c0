"""Distributions that networks give which nobody shows: what is drawn has no graph, what is computed from them has."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import packs, rules

AGENT = """
import torch
import zoo


class Agent:
    def __init__(self):
        self.policy = zoo.Policy(4)
        self.optimizer = torch.optim.Adam(self.policy.parameters())
        self.kept = []

    def act(self, state):
        {act}

    def learn(self, states, actions, weights):
        loss = -(self.policy(states).log_prob(actions) * weights).mean()
        {learn}
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


agent = Agent()
for state in zoo.states:
    {play}
    agent.learn(zoo.states, zoo.actions, zoo.weights)
"""
IN_VAIN = {
    "drawn and made a number": ("return self.policy(state).sample().item()", ""),
    "drawn by name": ("chosen = self.policy(state)\n        return chosen.sample().cpu().numpy()", ""),
    "one of two results": ("chosen, worth = self.policy(state)\n        return chosen.sample().tolist()", ""),
    "kept without its graph": (
        "chosen = self.policy(state)\n        drawn = chosen.sample()\n"
        "        self.kept.append(chosen.log_prob(drawn).detach())\n        return drawn.item()",
        "",
    ),
}
NEEDED = {
    "kept to learn from": (
        "chosen = self.policy(state)\n        drawn = chosen.sample()\n"
        "        self.kept.append(chosen.log_prob(drawn))\n        return drawn.item()",
        "loss = loss - sum(self.kept)",
    ),
    "given to who learns": ("return self.policy(state).rsample()", "loss = loss + self.act(states).mean()"),
    "the entropy": ("return self.policy(state).entropy()", "loss = loss - self.act(states).mean()"),
}


PLAY = "print(agent.act(torch.as_tensor(state)))"


def in_vain(act: str, learn: str, play: str) -> list[int]:
    """The lines at which inference is told to record in vain."""
    found = linter.lint(
        AGENT.format(act=act, learn=learn, play=play), rules(), packs=packs(), min_confidence=Confidence.LIKELY
    )
    return [one.place.row for one in found if one.code == "GRD401"]


@pytest.mark.parametrize(("act", "learn"), IN_VAIN.values(), ids=IN_VAIN)
def test_what_is_drawn_leaves_a_graph_in_vain(act: str, learn: str) -> None:
    assert in_vain(act, learn, PLAY) == [13]


@pytest.mark.parametrize(("act", "learn"), NEEDED.values(), ids=NEEDED)
def test_what_is_computed_keeps_its_graph(act: str, learn: str) -> None:
    assert in_vain(act, learn, "pass") == []
