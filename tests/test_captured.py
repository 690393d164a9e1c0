"""A function that is handed to unseen code takes along what it mentions of the scopes around it, and nothing else."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules
from gradlint.showing import shown

STEP = """
import torch
from elsewhere import optimize
from torch import nn

value_net, policy_net = nn.Linear(4, 1), nn.Linear(4, 2)
optimizer = torch.optim.SGD(policy_net.parameters(), lr=0.1)


def update(states, rewards):
    values = value_net(states)
    advantages = rewards - values.detach()
    HELPER

    def loss():
        CLOSURE

    optimize(policy_net, HANDED)
"""
APART = {
    "mentioned nowhere": ("", "return -(advantages * policy_net(states)).mean()", "loss"),
    "a name of its own": ("", "values = policy_net(states)\n        return -(advantages * values).mean()", "loss"),
    "a parameter": ("", "return (lambda values: values.mean())(policy_net(states))", "loss"),
    "a lambda": ("", "pass", "lambda: -(advantages * policy_net(states)).mean()"),
}
TAKEN = {
    "mentioned": ("", "return -(values * policy_net(states)).mean()", "loss"),
    "by a lambda": ("", "pass", "lambda: values.mean()"),
    "by another function": ("def own():\n        return values", "return (own() * policy_net(states)).mean()", "loss"),
    "inside another": ("", "def inner():\n            return values\n        return inner().mean()", "loss"),
    "declared": ("", "nonlocal values\n        values = values * 2\n        return values.mean()", "loss"),
}


def told(parts: tuple[str, str, str]) -> bool:
    """Return whether the values are said to be computed in vain."""
    text = STEP
    for name, part in zip(("HELPER", "CLOSURE", "HANDED"), parts, strict=True):
        text = text.replace(name, part)
    found = shown(linter.analyse(text, rules()).findings, rules(), Confidence.LIKELY)
    return any(one.code == "GRD401" and one.place.row == 11 for one in found)


@pytest.mark.parametrize("name", [name for name in APART if name != "a parameter"])
def test_what_a_closure_does_not_mention_stays(name: str) -> None:
    assert told(APART[name])


@pytest.mark.parametrize("name", TAKEN)
def test_what_it_mentions_goes_along(name: str) -> None:
    assert not told(TAKEN[name])


def test_a_name_that_only_an_inner_function_binds_counts_as_mentioned() -> None:
    assert not told(APART["a parameter"])
