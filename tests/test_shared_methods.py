"""Methods of networks in other files that give what has a graph: where one is called in vain, that call is told of."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.disk import InMemory
from gradlint.project import Project
from gradlint.registry import rules
from gradlint.testing.programs import MAIN

POLICY = """
import torch
from torch import nn
from torch.distributions import Normal


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.spread = nn.Linear(4, 2), nn.Parameter(torch.zeros(2))

    def forward(self, state):
        return self.mean(state), self.spread.exp()

    def sample(self, state):
        drawn = Normal(*self.forward(state))
        action = drawn.rsample()
        return {given}

    def predict(self, state):
        return self.forward(state)[0]
"""
BOTH, NUMBERS = "action.tanh(), drawn.log_prob(action).sum(1)", "action.tanh().detach().tolist()"
SCRIPT = """
import torch
from policy import Policy

policy = Policy()
policy.load_state_dict(torch.load("policy.pt"))
policy.eval()
for state in torch.load("states.pt"):
    {use}
"""
TRAINED = """
optimizer = torch.optim.Adam(policy.parameters())
for state, worth in torch.load("more.pt"):
    _, chance = policy.sample(state)
    optimizer.zero_grad()
    (-chance * worth).mean().backward()
    optimizer.step()
"""


def told(given: str, use: str, more: str = "") -> tuple[list[int], list[int]]:
    """The lines of the script and of the other file at which inference is reported."""
    files = InMemory({"policy.py": POLICY.format(given=given)})
    found = linter.analyse(SCRIPT.format(use=use) + more, rules(), project=Project(files).at(MAIN))
    here, there = (
        [one.place.row for one in some if one.code == "GRD401"] for some in (found.findings, found.elsewhere)
    )
    return here, there


@pytest.mark.parametrize("more", ["", TRAINED])
@pytest.mark.parametrize(
    "use",
    ["print(policy.sample(state)[0].tolist())", "action, _ = policy.sample(state)\n    print(action.argmax().item())"],
)
def test_who_draws_in_vain_from_a_method_that_gives_its_graph_is_told(use, more):
    here, there = told(BOTH, use, more)
    assert here == [9] and not there


def test_a_method_that_gives_numbers_records_in_vain_for_all():
    here, there = told(NUMBERS, "print(policy.sample(state))")
    assert not here and there == [16]


def test_a_method_that_predicts_is_where_gradients_belong_off():
    here, there = told(BOTH, "print(policy.predict(state).tolist())")
    assert not here and there == [21]


def test_other_calls_that_waste_the_same_are_noted():
    use = "print(policy.sample(state)[0].tolist())"
    files = InMemory({"policy.py": POLICY.format(given=BOTH)})
    text = SCRIPT.format(use=use) + f"for state in torch.load('more.pt'):\n    {use}\n"
    found = [
        one for one in linter.analyse(text, rules(), project=Project(files).at(MAIN)).findings if one.code == "GRD401"
    ]
    told = [{one.place.row, *(note.place.row for note in one.notes if not note.path)} for one in found]
    assert {9, 11} <= set().union(*told)
