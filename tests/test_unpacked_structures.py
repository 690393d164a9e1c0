"""What is learnt of one element that unseen code gives holds of that one: each target of an unpacking has one."""

from __future__ import annotations

import pytest

from gradlint import linter, registry

RULES, PACKS = registry.rules(), registry.packs()
HEAD = """\
import torch
from elsewhere import compute_loss


class Meter:
    def __init__(self):
        self.sum, self.count, self.all = 0, 0, []

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    def keep(self, value):
        self.all.append(value)


def train(loader, net, optimizer, criterion):
    meter, total = Meter(), 0
    net.train()
    for x, y in loader:
        optimizer.zero_grad()
        {given}
        loss.backward()
        optimizer.step()
        {left}
    print(meter.sum / meter.count, total, len(meter.all))
"""
GIVEN = [
    "loss, accuracy = criterion(net(x), y)",
    "[loss, accuracy] = criterion(net(x), y)",
    "loss, accuracy, more = compute_loss(net(x), y)",
    "accuracy, loss = criterion(net(x), y)",
]


def found(given: str, left: str) -> list[str]:
    findings = linter.lint(HEAD.format(given=given, left=left), RULES, packs=PACKS)
    return [one.code for one in findings]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    ("left", "codes"),
    [("total += loss", ["GRD501"]), ("meter.update(loss, 2)", ["GRD509"]), ("meter.keep(loss)", ["GRD509"])],
)
def test_what_was_differentiated_has_a_graph(given: str, left: str, codes: list[str]):
    assert found(given, left) == codes


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "left",
    [
        "total += loss.item()", "meter.update(loss.item(), 2)", "meter.keep(float(loss))", "total += loss.detach()",
        "total += accuracy", "meter.update(accuracy, 2)", "meter.keep(accuracy)",
    ],
)  # fmt: skip
def test_what_stands_beside_it_need_not(given: str, left: str):
    """Nobody knows whether an accuracy is a number or a tensor, and whether that has a graph."""
    assert found(given, left) == []
