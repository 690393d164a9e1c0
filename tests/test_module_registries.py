"""Dicts of the parts of a module, and of the attributes of any object: what is set in them is set on that."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules
from gradlint.showing import shown

START = """
import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 3))
for parameter in net.parameters():
    parameter.requires_grad = False
"""
END = """
loss = net(torch.ones(4, 2)).mean()
loss.backward()
"""
SET = {
    "by its name": "net._modules['1'] = nn.Linear(3, 1)",
    "of a part": "net = nn.Sequential(net)\nnet[0]._modules['1'] = nn.Linear(3, 1)",
    "through a name": "parts = net._modules\nparts['1'] = nn.Linear(3, 1)",
    "in a loop": "for name in list(net._modules):\n    net._modules[name] = nn.Linear(net[int(name)].in_features, 3)",
    "a parameter": "net[1]._parameters['weight'] = nn.Parameter(torch.ones(3, 3))",
    "of any object": "net.kept = 3\nfor name in list(vars(net)):\n    vars(net)[name] = vars(net)[name]\n"
    "net._modules['1'] = nn.Linear(3, 1)",
    "among all attributes": "vars(net[1])['_parameters']['weight'] = nn.Parameter(torch.ones(3, 3))",
}
READ = {
    "read": "print(net._modules['1'])",
    "gone through": "for name, part in net._modules.items():\n    print(name, part)",
    "a copy": "parts = dict(net._modules)\nparts['1'] = nn.Linear(3, 1)",
    "another module's": "other = nn.Sequential(nn.Linear(2, 3))\nother._modules['0'] = nn.Linear(2, 2)",
}


def told(text: str) -> set[str]:
    found = shown(linter.analyse(text, rules()).findings, rules(), Confidence.LIKELY)
    return {one.code for one in found}


@pytest.mark.parametrize("name", SET)
def test_what_is_set_there_is_trained(name: str) -> None:
    text = START + SET[name] + END
    space: dict[str, Any] = {}
    exec(text, space)
    assert any(one.grad is not None for one in space["net"].parameters())
    assert "GRD619" not in told(text)


@pytest.mark.parametrize("name", READ)
def test_what_is_read_there_stays_frozen(name: str) -> None:
    text = START + READ[name] + END
    with pytest.raises(RuntimeError, match="does not require grad"):
        exec(text, {})
    assert "GRD619" in told(text)


def test_a_part_set_there_is_found_by_its_name() -> None:
    net = nn.Sequential(nn.Linear(2, 3))
    net._modules["head"] = nn.Linear(3, 1)
    assert net.head is net[1]
    text = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self._modules["head"] = nn.Linear(3, 1)

    def forward(self, x):
        return self.head(x)

net = Net()
net(torch.ones(2, 3)).mean().backward()
print(net.head.weight.grad.norm())
"""
    exec(text, {"__name__": "shown"})
    assert not told(text)
    assert torch.is_tensor(net.head.weight)
