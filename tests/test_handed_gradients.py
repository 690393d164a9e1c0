"""Gradients that one network fills and another steps by: they add up where nothing clears them in the first."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules

START = """
import copy
import torch
from torch import nn

own, shared = nn.Linear(2, 1), nn.Linear(2, 1)
optimizer = torch.optim.SGD(shared.parameters(), lr=0.1)
x = torch.ones(3, 2)
"""
HAND = """
    for mine, theirs in zip(own.parameters(), shared.parameters(), strict=True):
        theirs.grad = mine.grad
"""
PILED = {
    "cleared in the shared network": f"""
for _ in range(3):
    optimizer.zero_grad()
    own(x).mean().backward(){HAND}
    optimizer.step()
    own.load_state_dict(shared.state_dict())
""",
    "by the second name": f"""
for _ in range(3):
    optimizer.zero_grad()
    own(x).mean().backward(){HAND.replace("theirs.grad", "theirs._grad")}
    optimizer.step()
""",
    "handed on once": """
for _ in range(3):
    optimizer.zero_grad()
    loss = own(x).mean()
    loss.backward()
    for mine, theirs in zip(own.parameters(), shared.parameters()):
        if theirs.grad is not None:
            break
        theirs.grad = mine.grad
    optimizer.step()
""",
    "cleared by the module": f"""
for _ in range(3):
    shared.zero_grad()
    own(x).mean().backward(){HAND}
    optimizer.step()
""",
    "in functions": f"""
def push(network, x):
    optimizer.zero_grad()
    network(x).mean().backward()
    hand(network)
    optimizer.step()

def hand(own):{HAND}
for _ in range(3):
    push(own, x)
""",
    "one by one": """
for _ in range(3):
    optimizer.zero_grad()
    own(x).mean().backward()
    shared.weight.grad = own.weight.grad
    shared.bias.grad = own.bias.grad
    optimizer.step()
""",
}
CLEARED = {
    "cleared in both": f"""
for _ in range(3):
    optimizer.zero_grad()
    own.zero_grad()
    own(x).mean().backward(){HAND}
    optimizer.step()
""",
    "cleared where they are filled": f"""
for _ in range(3):
    own.zero_grad()
    own(x).mean().backward(){HAND}
    optimizer.step()
""",
    "filled with zeros through the shared network": f"""
for _ in range(3):
    optimizer.zero_grad(set_to_none=False)
    own(x).mean().backward(){HAND}
    optimizer.step()
""",
    "let go by hand": """
for _ in range(3):
    optimizer.zero_grad()
    own(x).mean().backward()
    for mine, theirs in zip(own.parameters(), shared.parameters()):
        theirs.grad, mine.grad = mine.grad, None
    optimizer.step()
""",
    "a copy for each round": f"""
for _ in range(3):
    own = copy.deepcopy(shared)
    optimizer.zero_grad()
    own(x).mean().backward(){HAND}
    optimizer.step()
""",
    "a network for each round": f"""
for _ in range(3):
    own = nn.Linear(2, 1)
    own.load_state_dict(shared.state_dict())
    optimizer.zero_grad()
    own(x).mean().backward(){HAND}
    optimizer.step()
""",
    "asked for": """
for _ in range(3):
    optimizer.zero_grad()
    found = torch.autograd.grad(own(x).mean(), list(own.parameters()))
    for theirs, gradient in zip(shared.parameters(), found):
        theirs.grad = gradient
    optimizer.step()
""",
}


def told(text: str) -> list[Confidence]:
    return [one.confidence for one in linter.analyse(text, rules()).findings if one.code in ("GRD701", "GRD719")]


def gradients(body: str) -> list[torch.Tensor]:
    """Run a program; return the gradient of the weight that each of its steps uses."""
    space: dict[str, Any] = {}
    exec(START, space)
    seen: list[torch.Tensor] = []
    space["optimizer"].register_step_pre_hook(lambda *_: seen.append(space["shared"].weight.grad.clone()))
    exec(body, space)
    assert len(seen) == 3
    return seen


@pytest.mark.parametrize("name", PILED)
def test_what_only_the_others_optimizer_clears_adds_up(name: str) -> None:
    first, second, third = gradients(PILED[name])
    assert second.equal(2 * first)
    assert third.equal(3 * first)
    assert told(START + PILED[name]) == [Confidence.CERTAIN]


@pytest.mark.parametrize("name", CLEARED)
def test_what_is_cleared_where_it_is_filled_does_not(name: str) -> None:
    first, second, third = gradients(CLEARED[name])
    assert first.equal(second)
    assert second.equal(third)
    assert not told(START + CLEARED[name])


WORKER = """
import torch
import torch.multiprocessing as mp
from envs import make
from torch import nn


def push(opt, own, shared, batch):
    loss = own(batch).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    for mine, theirs in zip(own.parameters(), shared.parameters()):
        theirs._grad = mine.grad
    opt.step()
    own.load_state_dict(shared.state_dict())


class Worker(mp.Process):
    def __init__(self, shared, opt):
        super().__init__()
        self.shared, self.opt, self.own = shared, opt, nn.Linear(4, 1)
        self.env = make("CartPole")

    def run(self):
        while True:
            batch = self.env.rollout(self.own)
            CLEAR
            push(self.opt, self.own, self.shared, batch)
"""


@pytest.mark.parametrize(("clear", "expected"), [("", [Confidence.LIKELY]), ("self.own.zero_grad()", [])])
def test_a_worker_of_a_shared_network(clear: str, expected: list[Confidence]) -> None:
    assert told(WORKER.replace("CLEAR", clear)) == expected


def test_the_second_name_of_a_gradient_is_the_gradient() -> None:
    weight = torch.ones(2, requires_grad=True)
    weight.sum().backward()
    assert weight._grad is weight.grad
    weight._grad = None
    assert weight.grad is None
    weight._grad = torch.zeros(2)
    assert weight.grad is weight._grad
