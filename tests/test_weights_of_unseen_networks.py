"""Graphs of networks that nobody shows: they saved weights, so that no backward goes through them after a step."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import packs, rules

SCRIPT = """
import torch
from torch import nn, optim
{classes}

actor, critic = make_actor(), make_critic()
of_actor = optim.Adam(actor.parameters())
of_critic = optim.Adam({stepped})
for _ in range(3):
    state = torch.randn(5, 4)
    {forward}
    of_critic.zero_grad()
    of_actor.zero_grad()
    first.backward(retain_graph=True)
    of_critic.step()
    {again}
    of_actor.step()
"""
UNSEEN = "from zoo import make_actor, make_critic"
BUILT = """from zoo import mlp


class Body(nn.Module):
    def __init__(self, taken, given):
        super().__init__()
        self.left = mlp(taken, given)
        self.right = mlp(taken, given)

    def forward(self, x):
        return self.left(x), self.right(x)


def make_actor():
    return Body(4, 4)


def make_critic():
    return Body(4, 1)"""
SHOWN = BUILT.replace(
    "from zoo import mlp",
    "def mlp(taken, given):\n    return nn.Sequential(nn.Linear(taken, 8), nn.Tanh(), nn.Linear(8, given))",
)
ONE = "made = actor(state)\n    first = critic(made.detach() + state).mean()\n    second = -critic(made).mean()"
PAIR = (
    "made, _ = actor(state)\n    first = (critic(state)[0] + critic(made.detach())[1]).mean()\n"
    "    left, right = critic(made)\n    second = -torch.min(left, right).mean()"
)
SHAPES = {"unseen": (UNSEEN, ONE), "unseen pair": (UNSEEN, PAIR), "built": (BUILT, PAIR), "shown": (SHOWN, PAIR)}


def text_of(shape: str, again: str = "second.backward()", stepped: str = "critic.parameters()") -> str:
    classes, forward = SHAPES[shape]
    return SCRIPT.format(classes=classes, forward=forward, again=again, stepped=stepped)


def told(text: str) -> list[str]:
    found = linter.lint(text, rules(), packs=packs(), min_confidence=Confidence.LIKELY)
    return [one.code for one in found if one.code in ("GRD305", "GRD503")]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_backward_after_the_step_of_what_it_goes_through_is_reported(shape):
    assert told(text_of(shape)) == ["GRD305"]


def test_torch_refuses_a_backward_after_the_step_of_what_it_goes_through():
    pytest.importorskip("torch")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(compile(text_of("shown"), "<script>", "exec"), {})


CURED = {
    "computed anew": "(-torch.min(*critic(actor(state)[0])).mean()).backward()",
    "not at all": "pass",
    "of what was cut off": "(made.detach() * nn.Parameter(torch.ones(1))).sum().backward()",
    "of the actor alone": "made.sum().backward()",
}


@pytest.mark.parametrize("again", CURED)
@pytest.mark.parametrize("shape", ["unseen pair", "built", "shown"])
def test_a_backward_through_other_weights_is_not(shape, again):
    assert not told(text_of(shape, CURED[again]))


@pytest.mark.parametrize("stepped", ["critic.left.parameters()", "[*critic.right.parameters()]"])
def test_a_step_of_a_part_that_nobody_shows_proves_nothing_of_the_whole(stepped):
    assert not told(text_of("unseen pair", "right.sum().backward()", stepped))


@pytest.mark.parametrize("again", CURED)
def test_torch_allows_the_others(again):
    pytest.importorskip("torch")
    exec(compile(text_of("shown", CURED[again]), "<script>", "exec"), {})


@pytest.mark.parametrize("shape", SHAPES)
def test_the_graph_of_a_network_is_differentiated_once(shape):
    text = (
        text_of(shape)
        .replace("    of_critic.step()\n", "")
        .replace("first.backward(retain_graph=True)", "second.backward()")
    )
    assert told(text) == ["GRD503"]
