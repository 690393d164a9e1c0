"""A term of a loss that was differentiated is kept in vain, though nobody knows that unseen code recorded it."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules
from gradlint.showing import shown

EPOCH = """
import torch
from torch import nn


def train(net, loader, criterion, targets, weight):
    optimizer = torch.optim.Adam(net.parameters())
    kept, total = [], 0.0
    for batch in loader:
        output, code = net(batch)
        first = criterion(output, targets)
        second = criterion(code, targets)
        LOSS
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        KEEP
    print(kept, total)
"""
SUM = "loss = first + second"
KEPT = {
    "in a list": (SUM, "kept.append(second)", "GRD502"),
    "in a sum": (SUM, "total += second", "GRD501"),
    "written out": (SUM, "total = total + second", "GRD501"),
    "weighed": ("loss = first + 0.1 * second", "kept.append(second)", "GRD502"),
    "weighed by a setting": ("loss = first + weight * second / 2", "total += second", "GRD501"),
    "subtracted": ("loss = first - second", "total += second", "GRD501"),
    "summed in place": ("loss = first\n        loss += second", "kept.append(second)", "GRD502"),
    "of three": ("third = second.abs()\n        loss = first + (second + third)", "total += third", "GRD501"),
}
SPARED = {
    "a number": (SUM, "total += second.item()"),
    "detached": (SUM, "kept.append(second.detach())"),
    "no term": (SUM, "kept.append(code)"),
    "beside two that are": (
        "one, two, third = criterion(code, targets)\n        loss = one + two",
        "total += third",
    ),
    "a factor": ("loss = first * second", "kept.append(second)"),
    "not differentiated": ("loss = first", "kept.append(targets)"),
    "cut beforehand": ("second = second.detach()\n        loss = first + second", "total += second"),
}


def codes(loss: str, keep: str) -> set[str]:
    """Return the codes of what is told, on the last line of the loop."""
    text = EPOCH.replace("LOSS", loss).replace("KEEP", keep)
    row = 1 + text.splitlines().index("        " + keep.splitlines()[0])
    found = shown(linter.analyse(text, rules()).findings, rules(), Confidence.LIKELY)
    return {one.code for one in found if one.place.row == row}


@pytest.mark.parametrize("name", KEPT)
def test_a_term_that_is_kept_is_told(name: str) -> None:
    loss, keep, code = KEPT[name]
    assert code in codes(loss, keep)


@pytest.mark.parametrize("name", SPARED)
def test_what_is_no_term_that_keeps_a_graph_is_not(name: str) -> None:
    assert not codes(*SPARED[name]) & {"GRD501", "GRD502"}


def test_a_term_keeps_its_graph_after_the_backward() -> None:
    net, kept = nn.Linear(4, 2), list[torch.Tensor]()
    for _ in range(2):
        output = net(torch.ones(3, 4))
        first, second = output[:, 0].mean(), output[:, 1].pow(2).mean()
        (first + 0.1 * second).backward()
        kept.append(second)
    assert all(one.grad_fn is not None and one.grad_fn.next_functions for one in kept)
    with pytest.raises(RuntimeError, match="second time"):
        sum(kept[1:], kept[0]).backward()
