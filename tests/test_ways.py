"""One of several classes: what each has holds, and what one of them has is likely for it."""

from __future__ import annotations

import pytest

from gradlint import linter, source
from gradlint.disk import InMemory
from gradlint.domain.state import MOST_FORKS
from gradlint.finding import Confidence
from gradlint.interpreter.driver import interpret
from gradlint.project import Project
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


FROM_NAME = {
    "an attribute of a file": "getattr(nets, kind)()",
    "an attribute with a default": "getattr(nets, kind, None)()",
    "the names of a file": "nets.__dict__[kind]()",
    "its names by a function": "vars(nets)[kind]()",
    "own names": "globals()[kind]()",
    "a registry of a library": "timm.create_model(kind)",
    "a library's attribute": "getattr(torchvision.models, kind)(weights=None)",
}
TRAINED = """\
import sys, timm, torch, torchvision
import nets
from nets import Small, Large

kind = sys.argv[1]
model = {make}
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(9):
    model.train()
    for x in torch.ones(4, 2, 6):
        {clear}
        model(x).sum().backward()
        optimizer.step()
    model.eval()
    for x in torch.ones(4, 2, 6):
        {mode}
            print(model(x).argmax(1).tolist())
"""


@pytest.mark.parametrize("make", FROM_NAME.values(), ids=FROM_NAME)
def test_what_all_networks_do_holds_for_one_that_a_name_chooses(make: str) -> None:
    """It has parameters that a step moves and whose gradients stay, and modes."""
    project = Project(InMemory({"nets.py": CLASSES[: CLASSES.index("KINDS")]}))

    def codes(clear: str, mode: str) -> list[str]:
        text = TRAINED.format(make=make, clear=clear, mode=mode)
        return [one.code for one in linter.lint(text, RULES, project=project.at("main.py"))]

    assert codes("pass", "if True:") == ["GRD701", "GRD401"]
    assert codes("optimizer.zero_grad()", "with torch.no_grad():") == []


def branching(deep: int, name: str = "m") -> list[str]:
    """Branches inside branches, with networks of one name on either side of the innermost."""
    if not deep:
        sides = [[f"    {name}{row} = nn.Linear({width}, 2)" for width in (2, 3)] for row in range(5)]
        return [line for row, (a, b) in enumerate(sides) for line in (f"if count > {row}:", a, "else:", b)]
    inside = [[f"    {line}" for line in branching(deep - 1, name + side)] for side in "ab"]
    return [f"if count > {deep}:", *inside[0], "else:", *inside[1]]


def test_few_forks_are_remembered_however_many_meet() -> None:
    """What is remembered of either side of a branch does not add up."""
    text = "\n".join(["import sys", "from torch import nn", "count = len(sys.argv)", *branching(4), ""])
    assert len(interpret(source.parse(text), lambda event: None).state.apart) == MOST_FORKS
