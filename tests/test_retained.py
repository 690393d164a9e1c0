"""A graph is retained in vain exactly where the program runs as well without: GRD504 and torch agree on whole programs.

In each program one backward retains its graph. Where torch raises without that, nothing is reported; where it does not,
the backward is, and no less than likely.
"""

from __future__ import annotations

import pytest

from gradlint.linter import lint
from gradlint.registry import rules

RULES = [rule for rule in rules() if rule.code == "GRD504"]
HEAD = """
import torch
from torch import nn
import torch.nn.functional as F

class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(2, 2)

    def forward(self, h):
        for _ in range(4):
            h = self.cell(h).tanh()
        return h

class Remembering(Steps):
    def __init__(self):
        super().__init__()
        self.state = torch.zeros(3, 2)

    def forward(self, x):
        self.state = super().forward(self.state + x)
        return self.state

def batches():
    return [torch.ones(3, 2) for _ in range(3)]
"""
LOOPED = """
def fit(net, other):
    {before}
    for x in batches():
        net.zero_grad()
        {body}

fit({net}, nn.Linear(2, 1))
"""
KEPT = "loss.backward(retain_graph=True)"
LOSS = f"loss = net(x).pow(2).mean()\n        {KEPT}"


def looped(*body: str, before: str = "", net: str = "Steps()") -> str:
    """A training loop with these lines."""
    return LOOPED.format(body="\n        ".join(body), before=before, net=net)


PROGRAMS = {
    "alone": looped(LOSS),
    "a loss of its own behind it": looped(LOSS, "other(x).exp().mean().backward()"),
    "a loss of its own on the same network": looped(LOSS, "net(x + 1).abs().mean().backward()"),
    "another pass through the same network": looped(LOSS, "loss = net(x).pow(2).mean()", "loss.backward()"),
    "under a block": looped("with torch.enable_grad():", "    out = net(x).exp()", f"loss = out.sum(); {KEPT}"),
    "gradients that are handed out": looped(
        "x.requires_grad_()",
        "(slope,) = torch.autograd.grad(net(x).pow(2).sum(), x, retain_graph=True)",
        "(other(x) * slope.norm()).mean().backward()",
    ),
    "a state that starts anew": looped("h = torch.zeros(3, 2)", "h = net(h + x)", f"loss = h.pow(2).mean(); {KEPT}"),
    "a state that is detached": looped(
        "h = net(h + x)", f"loss = h.pow(2).mean(); {KEPT}", "h = h.detach()", before="h = torch.zeros(3, 2)"
    ),
    "the next one comes back": looped(LOSS, "(loss * 2).backward()"),
    "the next one comes back to a part": looped(
        "out = net(x)", f"loss = out.pow(2).mean(); {KEPT}", "out.abs().mean().backward()"
    ),
    "gradients first": looped(
        "h = net(x)",
        "loss = h.pow(2).mean()",
        "(slope,) = torch.autograd.grad(loss, h, retain_graph=True)",
        "(loss * slope.norm()).backward()",
    ),
    "a state": looped("h = net(h + x)", f"loss = h.pow(2).mean(); {KEPT}", before="h = torch.zeros(3, 2)"),
    "a state that starts anew on the first round alone": looped(
        "if number == 0:",
        "    h = torch.zeros(3, 2)",
        "number += 1",
        "h = net(h + x)",
        f"loss = h.pow(2).mean(); {KEPT}",
        before="number = 0",
    ),
    "a state that the network keeps": looped(LOSS, net="Remembering()"),
    "what was there before": looped(
        "out = net(x)",
        "loss = out.pow(2).mean()",
        "loss = loss if last is None else loss + (out - last).abs().mean()",
        KEPT,
        "last = out",
        before="last = None",
    ),
    "a running sum": looped(
        "total = total + net(x).pow(2).mean()", "total.backward(retain_graph=True)", before="total = 0"
    ),
    "features of all rounds": looped(
        f"loss = (features * x).pow(2).mean(); {KEPT}", before="features = net(batches()[0])"
    ),
    "losses that are kept for later": looped(
        "losses = []",
        "for _ in range(2):",
        f"    loss = net(x).pow(2).mean(); {KEPT}",
        "    losses.append(loss)",
        "sum(losses).backward()",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_reported_where_the_program_runs_without(name):
    text = HEAD + PROGRAMS[name]
    exec(compile(text, name, "exec"), {"__name__": "__main__"})
    rows = {finding.place.row for finding in lint(text, RULES)}
    retained = {row for row, line in enumerate(text.splitlines(), start=1) if "retain_graph=True" in line}
    assert rows == (retained if _runs(text.replace("retain_graph=True", "retain_graph=False")) else set())


def _runs(text: str) -> bool:
    """Whether the program runs through, rather than come to a graph that has been freed."""
    try:
        exec(compile(text, "without", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        if "a second time" not in str(error):
            raise
        return False
    return True
