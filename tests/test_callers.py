"""What other files show of how a function is called: with gradients off only where torch has them off."""

from __future__ import annotations

import pytest
import torch

from gradlint import linter
from gradlint.callers import all_off, uses
from gradlint.disk import MOST_CALLING, InMemory, OnDisk
from gradlint.project import Project
from gradlint.registry import rules

RULES = rules()
OFF = {
    "with": "with torch.no_grad():\n    f()\n",
    "second manager": "with open(__file__), torch.inference_mode():\n    f()\n",
    "set for a block": "with torch.set_grad_enabled(mode=False):\n    f()\n",
    "set for good": "torch.set_grad_enabled(False)\nfor _ in range(2):\n    f()\n",
    "bare decorator": "@torch.no_grad\ndef g():\n    f()\ng()\n",
    "decorator": "@torch.inference_mode()\ndef g():\n    f()\ng()\n",
    "around the caller": "def g():\n    f()\ndef h():\n    g()\nwith torch.no_grad():\n    h()\n",
    "inside an inner function": "@torch.no_grad()\ndef g():\n    def h():\n        f()\n    h()\ng()\n",
    "enabled and disabled": "with torch.enable_grad():\n    with torch.no_grad():\n        f()\n",
}
ON = {
    "plainly": "f()\n",
    "enabled again": "with torch.no_grad():\n    with torch.enable_grad():\n        f()\n",
    "no inference mode": "with torch.inference_mode(False):\n    f()\n",
    "set on": "with torch.set_grad_enabled(True):\n    f()\n",
    "set on again": "torch.set_grad_enabled(False)\nif True:\n    torch.set_grad_enabled(True)\nf()\n",
    "set in one branch": "if len(__file__) > 99:\n    torch.set_grad_enabled(False)\nelse:\n    f()\n",
    "once with and once without": "with torch.no_grad():\n    f()\nf()\n",
    "handed on": "def g(h):\n    h()\nwith torch.no_grad():\n    h = f\ng(h)\n",
    "in a lambda": "with torch.no_grad():\n    g = lambda: f()\ng()\n",
    "one caller with gradients": "def g():\n    f()\nwith torch.no_grad():\n    g()\ng()\n",
    "defined inside": "with torch.no_grad():\n    def g():\n        f()\ng()\n",
}


@pytest.mark.parametrize("text", [*OFF.values(), *ON.values()], ids=[*OFF, *ON])
def test_gradients_are_off_at_a_call_only_where_torch_has_them_off(text):
    modes = []
    names = {"torch": torch, "f": lambda: modes.append(torch.is_grad_enabled()), "__file__": __file__}
    before = torch.is_grad_enabled()
    exec(text, names)
    torch.set_grad_enabled(before)
    assert modes
    assert all_off(uses(text), "f") is not any(modes)
    assert all_off(uses(text), "nobody") is None
    assert all_off(uses(f"{text}\n="), "f") is None


AGENT = """import torch
from torch import nn

class Agent:
    def __init__(self):
        self.controller = nn.Linear(3, 2)

    def act(self, observation):
        return self.controller(observation).cpu().numpy()

    def rollout(self, environment):
        for observation in environment:
            print(self.act(torch.tensor(observation)))

def scores(net: nn.Linear):
    return net(torch.ones(1, 3)).numpy()
"""
QUIET = "import torch\nfrom agent import Agent, scores\nwith torch.no_grad():\n    Agent().rollout(e)\n    scores(n)\n"


@pytest.mark.parametrize(
    ("others", "reported"),
    [
        ({}, [9, 16]),
        ({"play.py": QUIET}, []),
        ({"play.py": QUIET, "train.py": "from agent import scores\nscores(n)\n"}, [16]),
        ({"play.py": QUIET, "helper.py": "def run(agent, e):\n    agent.rollout(e)\n"}, [9]),
        ({"play.py": QUIET, "helper.py": "def rollout(agent):\n    pass\n"}, []),
        ({"play.py": QUIET.replace("from agent import", "from elsewhere import")}, [9, 16]),
        ({"play.py": "import agent\n"}, [9, 16]),
        ({"play.py": QUIET, **{f"f{n}.py": "" for n in range(MOST_CALLING)}}, [9, 16]),
    ],
)
@pytest.mark.parametrize("files", ["in memory", "on disk"])
def test_what_every_shown_caller_switches_off_is_off(tmp_path, files, others, reported):
    texts = {"agent.py": AGENT, "pyproject.toml": "", **others}
    if files == "on disk":
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
    project = Project(OnDisk() if files == "on disk" else InMemory(texts))
    view = project.at(str(tmp_path / "agent.py") if files == "on disk" else "agent.py")
    found = linter.lint(AGENT, RULES, project=view)
    assert [finding.place.row for finding in found if finding.code == "GRD615"] == reported
