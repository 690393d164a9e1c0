"""Whether a layer is used is asked of the whole project: what derives from its class, and who may hold the object."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.disk import InMemory
from gradlint.project import Project
from gradlint.registry import rules

NET = """
from torch import nn
from tools import score

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.extra = nn.Linear(2, 2)

    def forward(self, x):
        return score(self, self.body(x))
"""
OTHERS = {
    "derived": (
        "train.py",
        "from net import Net\nclass More(Net):\n    def more(self, x):\n        return self.extra(x)\n",
    ),
    "held": ("train.py", "from net import Net\nnet = Net()\nprint(net.extra.weight)\n"),
    "handed over": ("tools.py", "def score(net, x):\n    return net.extra(x)\n"),
}
STRANGERS = {
    "its own": ("other.py", "class Other:\n    def more(self, x):\n        return self.extra(x)\n"),
    "set": ("train.py", "from net import Net\nnet = Net()\nprint(net.body.weight, 'extra')\n"),
    "nothing": ("train.py", "from net import Net\n"),
}


def codes(file: str, text: str) -> list[str]:
    """Return what is told of the network beside one other file."""
    files = {"net.py": NET, "tools.py": "def score(net, x):\n    return x\n", file: text}
    found = linter.lint(NET, rules(), project=Project(InMemory(files)).at("net.py"))
    return [one.code for one in found]


@pytest.mark.parametrize("name", OTHERS)
def test_a_layer_that_another_file_reads_is_used(name: str) -> None:
    assert codes(*OTHERS[name]) == []


@pytest.mark.parametrize("name", STRANGERS)
def test_one_that_none_reads_is_not(name: str) -> None:
    assert codes(*STRANGERS[name]) == ["GRD810"]


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_a_test_may_make_one_to_look_at_what_becomes_of_it(runner: str) -> None:
    text = f"import {runner}\n{NET}"
    found = linter.lint(text, rules(), project=Project(InMemory({"net.py": text})).at("net.py"))
    assert "GRD810" not in [one.code for one in found]
