"""Where the way to what a step trains leads through a function that is not followed, networks behind it are passed."""

from __future__ import annotations

import pytest

from gradlint import linter, registry
from gradlint.disk import InMemory
from gradlint.interpreter.engine import steps
from gradlint.project import Project
from gradlint.testing.programs import MAIN

WEAVER = """\
import torch
from torch import nn

class Weaver(nn.Module):
    def __init__(self):
        super().__init__()
        self.loom = nn.Linear(4, 3)

    def forward(self, threads):
        return self.loom(threads)

    def weave(self, threads: list[torch.Tensor]){returns}:
        together = []
        for thread in threads:
            together.append(thread)
        return self.forward(torch.cat(together, 1))
"""
TRAINED = """\
import torch
from torch import nn, optim
from weaver import Weaver

weaver, judge, namer = Weaver(), nn.Linear(3, 5), nn.Linear(5, 2)
for_judge = optim.Adam(judge.parameters(), 0.01)
for_weaver = optim.Adam([*weaver.parameters(), *namer.parameters()], 0.01)
for _ in range(100):
    for_judge.zero_grad()
    woven = weaver.weave([torch.randn(2, 1), torch.randn(2, 3)])
    (judge(torch.randn(2, 3)).mean() - judge(woven.detach()).mean()).backward()
    for_judge.step()
    for_weaver.zero_grad()
    seen = judge({given})
    (seen.mean() + namer(seen).square().mean()).backward()
    for_weaver.step()
"""


@pytest.mark.parametrize("followed", [True, False])
@pytest.mark.parametrize("returns", ["", " -> torch.Tensor"])
@pytest.mark.parametrize(("given", "expected"), [("woven", []), ("torch.randn(2, 3)", ["GRD617"])])
def test_a_network_on_the_way_is_no_target(followed, returns, given, expected, monkeypatch):
    """The judge is passed gradients for the weaver, whatever is known of what that gives; of what it is given besides
    only the namer's are wanted."""
    if not followed:
        monkeypatch.setattr(steps, "FEWEST_STEPS_ELSEWHERE_OF_A_SCRIPT", 10)
    project = Project(InMemory({"weaver.py": WEAVER.format(returns=returns)})).at(MAIN)
    found = linter.lint(TRAINED.format(given=given), registry.rules(), packs=registry.packs(), project=project)
    assert [one.code for one in found if one.code == "GRD617"] == expected
