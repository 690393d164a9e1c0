"""A statement that writes many tensors goes over objects a few times for each, not over all objects for each."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gradlint import registry, source
from gradlint.interpreter import interpret

FEW = 20
"""How many tensors the shorter program writes, and a quarter of how many the longer one does."""
MOST = 5
"""How many times as many objects may be gone over for a program four times as long: linear is 4, the square 16."""

PROGRAMS: dict[str, Callable[[int], str]] = {
    "a step of parameters in a list": lambda n: (
        f"params = [torch.ones(2, requires_grad=True) for _ in range({n})]\n"
        + "".join(f"p{i} = torch.ones(2, requires_grad=True)\nparams.append(p{i})\n" for i in range(n))
        + "optimizer = torch.optim.SGD(params, lr=0.1)\nsum(p.sum() for p in params).backward()\noptimizer.step()\n"
    ),
    "a step of layers in a list": lambda n: (
        "".join(f"layer{i} = nn.Linear(2, 2)\n" for i in range(n))
        + f"net = nn.Sequential({', '.join(f'layer{i}' for i in range(n))})\n"
        + "kept = list(net.parameters())\noptimizer = torch.optim.SGD(kept, lr=0.1)\n"
        + "net(torch.ones(1, 2)).sum().backward()\noptimizer.step()\n"
    ),
    "a load into layers whose parameters are kept": lambda n: (
        "".join(f"layer{i} = nn.Linear(2, 2)\n" for i in range(n))
        + f"net = nn.Sequential({', '.join(f'layer{i}' for i in range(n))})\n"
        + "kept = list(net.parameters())\nnet.load_state_dict(torch.load('net.pt'))\n"
    ),
}


def work(text: str) -> int:
    """The number of objects that the analysis of a program goes over one by one."""
    tree = source.parse("import torch\nfrom torch import nn\n\n" + text)
    return interpret(tree, lambda event: None, packs=registry.packs()).state.heap.index.work


@pytest.mark.parametrize("name", PROGRAMS)
def test_writing_many_tensors_goes_over_objects_a_few_times(name: str) -> None:
    few, many = (work(PROGRAMS[name](count)) for count in (FEW, 4 * FEW))
    assert many <= MOST * few
