"""One of several classes: what each has holds, and what one of them has is likely for it."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules

RULES = rules()
CLASSES = """
import torch
from torch import nn, optim

torch.manual_seed(0)


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 3)

    def forward(self, x):
        return self.layer(x)


class Large(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, x):
        return self.layers(x)


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x[:, :3] + self.scale


KINDS = {"small": Small, "large": Large}


class Study:
    def __init__(self, large=True, kind="large"):
        MAKE
        self.head = nn.Linear(3, 2)
        self.of_net = optim.SGD(self.net.parameters(), lr=0.1)
        self.of_head = optim.SGD(self.head.parameters(), lr=0.1)

    def fit(self, batches):
        for x, y in batches:
            scores = self.head(self.net(x))
            self.of_net.zero_grad()
            scores.mean().backward(retain_graph=True)
            self.FIRST.step()
            self.of_head.zero_grad()
            nn.functional.cross_entropy(scores, y).backward()
            self.of_head.step()
"""
RUN = "Study(LARGE).fit([(torch.ones(2, 6), torch.ones(2).long())])\n"
BRANCHES = "if large:\n            self.net = {0}()\n        else:\n            self.net = {1}()"
MAKERS = {
    "branches": BRANCHES.format("Large", "Small"),
    "a conditional expression": "self.net = Large() if large else Small()",
    "a class by a name": "cls = Large if large else Small\n        self.net = cls()",
    "a table of classes": "self.net = KINDS[kind]()",
}


def program(make: str, first: str) -> str:
    return CLASSES.replace("MAKE", make).replace("FIRST", first)


def found(text: str) -> list[linter.Finding]:
    return [one for one in linter.analyse(text, RULES).findings if one.code == "GRD305"]


def raised(text: str) -> str:
    """What torch raises on a program, empty if nothing."""
    try:
        exec(compile(text, "program", "exec"), {"__name__": "program"})
    except RuntimeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("make", MAKERS)
def test_what_all_of_them_do_is_likely(make: str) -> None:
    text = program(MAKERS[make], "of_net")
    (finding,) = found(text)
    assert finding.confidence is Confidence.LIKELY
    for large in ("True", "False"):
        kept = "large" if large == "True" else "small"
        error = raised(text + RUN.replace("LARGE", f"{large}, {kept!r}"))
        assert ("modified by an inplace operation" in error) == (large == "True")


def test_what_one_of_them_does_is_likely_for_it() -> None:
    """A bias or a scale that was added is not looked at again."""
    text = program(BRANCHES.format("Large", "Plain"), "of_net")
    assert [one.confidence for one in found(text)] == [Confidence.LIKELY]
    assert "modified by an inplace operation" in raised(text + RUN.replace("LARGE", "True"))
    assert not raised(text + RUN.replace("LARGE", "False"))


def test_what_none_of_them_does_is_not_said() -> None:
    text = program(BRANCHES.format("Plain", "Plain"), "of_net")
    assert not found(text)
    assert not raised(text + RUN.replace("LARGE", "True"))
