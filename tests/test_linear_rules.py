"""Rules, and what looks at the text of a program alone, take time linear in that: what they find they look up, and go
over no story for each event in it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import rules
from gradlint import registry, source
from gradlint.interpreter import static
from gradlint.knowledge.pack_index import NO_PACKS
from gradlint.linter import lint

ROOTS = tuple(str(Path(room.__file__ or "").parent) for room in (rules, static, source))
FEW = 20
"""How often the part of a program that grows is in the shorter one, and a quarter of how often in the longer one."""
MOST = 6
"""How many times as many lines of a function may run for a program four times as long: linear is 4, the square 16."""
FEWEST = 1_000
"""Lines of one function that nobody minds."""
HEAD = """\
import torch
from torch import nn

data = [torch.ones(2, 2)] * 3


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)

    def forward(self, x):
        return self.inner(x)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
w = torch.ones(2, requires_grad=True)
total, kept = 0, []
"""


def indented(text: str, by: str = "    ") -> str:
    return "".join(f"{by}{line}\n" for line in text.splitlines())


PARTS: dict[str, Callable[[int], str]] = {
    "calls": lambda n: "loss = net(torch.ones(2, 2)).sum()\n" * n + "loss.backward()\noptimizer.step()\n",
    "calls of a loop": lambda n: (
        "for x in data:\n"
        + indented("loss = net(x).sum()\n" * n + "loss.backward()\noptimizer.step()\ntotal += loss\n")
    ),
    "calls that nothing follows": lambda n: "net.eval()\nfor x in data:\n" + indented("kept.append(net(x))\n" * n),
    "training loops": lambda n: (
        "for x in data:\n    loss = net(x).sum()\n    loss.backward()\n    optimizer.step()\n    total += loss\n" * n
    ),
    "steps": lambda n: "net(data[0]).sum().backward()\noptimizer.step()\noptimizer.zero_grad()\n" * n,
    "steps without a backward": lambda n: "net(data[0]).sum()\noptimizer.step()\n" * n,
    "evaluations": lambda n: "".join(
        f"def evaluate_{i}(net, data):\n    net.eval()\n    return [net(x).argmax(1) for x in data]\n"
        f"evaluate_{i}(net, data)\n"
        for i in range(n)
    ),
    "evaluations that nobody calls": lambda n: "".join(
        f"def evaluate_{i}(net, data):\n    net.eval()\n    for x in data:\n        print(net(x).item())\n"
        for i in range(n)
    ),
    "networks": lambda n: "".join(
        f"net_{i} = Net()\noptimizer_{i} = torch.optim.Adam(net_{i}.parameters())\n"
        f"net_{i}(data[0]).sum().backward()\noptimizer_{i}.step()\n"
        for i in range(n)
    ),
    "classes": lambda n: "".join(
        f"class Net{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.parts = [nn.Linear(2, 2)]\n        self.w = torch.ones(2, requires_grad=True)\n"
        f"    def forward(self, x):\n        return self.parts[0](x) * self.w\n"
        for i in range(n)
    ),
    "leaves": lambda n: "".join(
        f"w{i} = torch.ones(2, requires_grad=True)\n(w{i} * 2).sum().backward()\nprint(w{i}.grad)\nw{i} += 1\n"
        for i in range(n)
    ),
    "backwards": lambda n: "(w * 2).sum().backward()\n" * n,
    "gradients": lambda n: "torch.autograd.grad((w * 2).sum(), w, create_graph=True)\n" * n,
    "cuts": lambda n: "(net(data[0]).detach() * w.data).sum().backward()\n" * n,
    "freezes": lambda n: "for p in net.parameters():\n    p.requires_grad = False\nnet(data[0])\n" * n,
    "judges": lambda n: (
        "judge = Net()\nother = torch.optim.SGD(judge.parameters(), lr=0.1)\n"
        + (
            "judge(net(data[0])).mean().backward()\nother.step()\n"
            + "judge(net(data[0])).mean().backward()\noptimizer.step()\n"
        )
        * n
    ),
    "losses": lambda n: (
        "loss = nn.functional.mse_loss(net(data[0]), net(data[1]))\nloss.backward()\noptimizer.step()\n" * n
    ),
    "kept": lambda n: "kept.append(net(data[0]).mean())\n" * n + "print(sum(kept))\n",
    "updates by hand": lambda n: (
        "".join(f"w{i} = torch.ones(2, requires_grad=True)\n" for i in range(n))
        + "for x in data:\n"
        + indented("".join(f"(w{i} * 2).sum().backward()\nw{i}.data -= 0.1 * w{i}.grad\n" for i in range(n)))
    ),
    "updates of all": lambda n: (
        "for x in data:\n"
        + indented("(w * 2).sum().backward()\n" * n + "with torch.no_grad():\n    w -= 0.1 * w.grad\n" * n)
    ),
    "clippings": lambda n: (
        "both = nn.Sequential(net, nn.Linear(2, 1))\nfor x in data:\n"
        + indented(
            "optimizer.zero_grad()\nboth(x).sum().backward()\n"
            "nn.utils.clip_grad_norm_(both.parameters(), 1.0)\noptimizer.step()\n" * n
        )
    ),
    "networks that nothing trains": lambda n: (
        "other = Net()\n" * n
        + "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\nfor x in data:\n"
        + indented("optimizer.zero_grad()\nnet(x).sum().backward()\noptimizer.step()\n")
    ),
    "methods": lambda n: (
        "class Agent:\n    def __init__(self):\n        self.net = Net()\n"
        "        self.optimizer = torch.optim.Adam(self.net.parameters())\n"
        + "".join(
            f"    def update_{i}(self, x):\n        self.net(x).mean().backward()\n        self.optimizer.step()\n"
            for i in range(n)
        )
    ),
}


def lines_run(text: str) -> Counter[tuple[str, str]]:
    """How many lines of each function of these rooms are run for a program, each comprehension counted for itself."""
    found: Counter[tuple[str, str]] = Counter()

    def inside(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            found[Path(frame.f_code.co_filename).stem, f"{frame.f_code.co_qualname}:{frame.f_code.co_firstlineno}"] += 1
        return inside

    def called(frame: FrameType, event: str, _: object) -> Any:
        return inside if frame.f_code.co_filename.startswith(ROOTS) else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        lint(text, registry.rules(), packs=NO_PACKS)
    finally:
        sys.settrace(before)
    return found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PARTS)
def test_what_happens_is_gone_over_a_few_times(name: str) -> None:
    few, many = lines_run(HEAD + PARTS[name](FEW)), lines_run(HEAD + PARTS[name](4 * FEW))
    assert many, "no rule has run"
    dear = {where: (few[where], count) for where, count in many.items() if count > max(FEWEST, MOST * few[where])}
    assert not dear
