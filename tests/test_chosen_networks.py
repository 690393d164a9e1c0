"""A network that a setting chooses is trained as one that is known: on each path there is only the one that was
chosen, and knowing both reports no less than knowing neither."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules
from gradlint.showing import shown

PROGRAM = """
import torch
import torch.nn.functional as F
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.only = nn.Linear(4, 3)

    def forward(self, x):
        return self.only(x)


class Large(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.drop, self.last = nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 3)

    def forward(self, x):
        return self.last(self.drop(self.first(x).relu()))


class Plain(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Flatten(), nn.Linear(4, 3))


KINDS = {"small": Small, "large": Large}


def built(kind):
    if kind == "small":
        return Small()
    elif kind == "plain":
        return Plain()
    return Large()


def evaluate(network, loader):
    network.eval()
    with torch.no_grad():
        return sum((network(x).argmax(1) == y).sum().item() for x, y in loader)


def train(kind, loader, device):
    CHOICE
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    FIRST
    for epoch in range(3):
        for x, y in loader:
            loss = F.cross_entropy(network(x), y)
            CLEAR
            loss.backward()
            optimizer.step()
        LAST
"""
CHOICES = {
    "if": "if kind == 'small':\n        network = Small()\n    else:\n        network = Large()",
    "elif": (
        "if kind == 'small':\n        network = Small()\n    elif kind == 'plain':\n        network = Plain()\n"
        "    else:\n        network = Large()"
    ),
    "an expression": "network = Small() if kind == 'small' else Large()",
    "a function": "network = built(kind).to(device)",
    "a table": "network = KINDS[kind]()",
}
FORMS = {
    "never cleared": ("", "pass", "pass", "GRD701"),
    "left in eval mode": ("network.train()", "optimizer.zero_grad()", "evaluate(network, loader)", "GRD412"),
}
RIGHT = {
    "by the optimizer": ("", "optimizer.zero_grad()", "pass"),
    "by the network": ("", "network.zero_grad()", "pass"),
    "by hand": ("", "for p in network.parameters():\n                p.grad = None", "pass"),
    "in train mode again": ("network.train()", "optimizer.zero_grad()", "evaluate(network, loader); network.train()"),
}


def codes(choice: str, first: str, clear: str, last: str) -> set[str]:
    """Return the codes of what is told of the training of a network that is chosen so."""
    text = PROGRAM
    for name, part in (("CHOICE", CHOICES[choice]), ("FIRST", first), ("CLEAR", clear), ("LAST", last)):
        text = text.replace(name, part)
    return {one.code for one in shown(linter.analyse(text, rules()).findings, rules(), Confidence.LIKELY)}


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("form", FORMS)
def test_what_is_wrong_with_the_chosen_one_is_told(choice: str, form: str) -> None:
    *parts, code = FORMS[form]
    assert code in codes(choice, *parts)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("form", RIGHT)
def test_what_is_right_is_not(choice: str, form: str) -> None:
    assert codes(choice, *RIGHT[form]) == set()


def test_two_that_are_there_together_are_not_taken_for_one() -> None:
    """Where both exist, a step of the one says nothing of the other."""
    both = """
import torch
from torch import nn


def train(first, batches):
    small, large = nn.Linear(4, 3), nn.Linear(4, 3)
    one, other = (small, large) if first else (large, small)
    optimizer = torch.optim.SGD(one.parameters(), lr=0.1)
    other(batches[0]).mean().backward()
    for x in batches[1:]:
        optimizer.zero_grad()
        one(x).mean().backward()
        optimizer.step()
"""
    assert "GRD701" not in {one.code for one in linter.analyse(both, rules()).findings}


@pytest.mark.parametrize("size", [1, 2])
def test_gradients_of_whichever_is_chosen_add_up(size: int) -> None:
    network = nn.Sequential(*(nn.Linear(4, 4, bias=False) for _ in range(size)))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.0)
    seen = []
    for _ in range(2):
        network(torch.ones(2, 4)).sum().backward()
        optimizer.step()
        seen.append(network[0].weight.grad.clone())
    assert torch.equal(seen[1], 2 * seen[0])
