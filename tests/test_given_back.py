"""Unseen code may give back the thing that it had: its result is not taken for another, as a copy is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules
from gradlint.showing import shown

START = """
import copy
import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))
x = torch.ones(3, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
"""
PROGRAMS = {
    "stepped in a loop": (
        "GRD719",
        """
for _ in range(3):
    optimizer.zero_grad()
    model = keep(net)
    model(x).mean().backward()
    optimizer.step()
""",
    ),
    "stepped in a loop behind": (
        "GRD719",
        """
model = keep(net)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
""",
    ),
    "a layer is set": (
        "GRD716",
        """
net[1] = keep(net[1])
net(x).mean().backward()
optimizer.step()
""",
    ),
    "a layer is used and set": (
        "GRD716",
        """
head = keep(net[1])
head(torch.ones(3, 4)).sum()
net[1] = head
net(x).mean().backward()
optimizer.step()
""",
    ),
    "a layer is listed and set": (
        "GRD716",
        """
head = keep(net[1])
for parameter in head.parameters():
    print(parameter.shape)
net[1] = head
net(x).mean().backward()
optimizer.step()
""",
    ),
    "a parameter is set by a criterion": (
        "GRD716",
        """
net[1].bias = helper.criterion(net[1].bias)
net(x).mean().backward()
optimizer.step()
""",
    ),
}
UNSEEN, COPY = "from elsewhere import Helper, keep\nhelper = Helper()\n", "import copy\nkeep = copy.deepcopy\n"


def same(thing: Any) -> Any:
    """Give back what it is given."""
    return thing


def told(text: str) -> set[str]:
    found = shown(linter.analyse(text, rules()).findings, rules(), Confidence.LIKELY)
    return {one.code for one in found}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_unseen_code_gives_back_is_not_another(name: str) -> None:
    code, body = PROGRAMS[name]
    space: dict[str, Any] = {"keep": same, "helper": SimpleNamespace(criterion=same)}
    exec(START, space)
    before = [one.detach().clone() for one in space["net"].parameters()]
    exec(body, space)
    assert not any(map(torch.equal, before, space["net"].parameters()))
    assert code not in told(UNSEEN + START + body)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if "criterion" not in name])
def test_what_is_seen_to_be_another_is_told(name: str) -> None:
    code, body = PROGRAMS[name]
    assert code in told(COPY + START + body)


HANDED = """
import torch
from torch import nn

def put(head, x):
    net = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for parameter in head.parameters():
        print(parameter.grad)
    net[1] = head
    net(x).mean().backward()
    optimizer.step()
"""


def test_a_layer_that_only_its_use_tells_of_is_likely_one() -> None:
    found = linter.analyse(HANDED, rules()).findings
    assert [one.confidence for one in found if one.code == "GRD716"] == [Confidence.LIKELY]


WANTED = {
    "leaf": "w = {given}(w)\ntorch.autograd.grad(loss, w)\n",
    "leaf under another name": "other = {given}(w)\ntorch.autograd.grad(loss, [other])\n",
    "what was computed": "y = {given}(y)\ntorch.autograd.grad(loss, y)\n",
}
COMPUTED = "import copy\nimport torch\nw = torch.ones(3, requires_grad=True)\ny = w * 2\nloss = y.pow(2).sum()\n"


@pytest.mark.parametrize("name", WANTED)
def test_what_unseen_code_gives_back_may_be_differentiated_by(name: str) -> None:
    body = WANTED[name].format(given="keep")
    exec(COMPUTED + body, {"keep": same})
    assert "GRD613" not in told("from elsewhere import keep\n" + COMPUTED + body)


@pytest.mark.parametrize("name", WANTED)
def test_a_copy_is_not_in_the_graph(name: str) -> None:
    body = WANTED[name].format(given="torch.clone")
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        exec(COMPUTED + body, {})
    assert "GRD613" in told(COMPUTED + body)
