"""Networks that only their use tells of: a class that is passed in gives one, and a test of whether one is wrapped, or
of a library's class, leaves it what it was."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules

AGENT = """
import torch


class Agent:
    def __init__(self, env, model, width=64):
        self.env = env
        self.net = model(env.size, width)
        USE

    def act(self, state):
        return self.net(torch.tensor(state)).argmax().item()
"""
USES = [
    "self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)",
    "self.net.load_state_dict(torch.load(env.weights))",
    "self.net.train()",
    "torch.save(self.net.state_dict(), env.weights)",
]

WRAPPED = """
import torch
import zoo
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def fit(args, model, loader, held_out):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for task in range(args.tasks):
        model.train()
        for data, target in loader:
            opt.zero_grad()
            guess, _ = model(data)
            (guess - target).pow(2).mean().backward()
            opt.step()
        model.eval()
        for data, target in held_out:
            guess, _ = model(data)
            print((guess.argmax(1) == target).sum().item())
        if isinstance(model, CLASSES):
            torch.save(model.module.state_dict(), args.path)
        else:
            torch.save(model.state_dict(), args.path)
"""
CLASSES = ["nn.DataParallel", "torch.nn.parallel.DataParallel", "DDP", "(nn.DataParallel, DDP)", "zoo.Wrapper"]

PROBE = """
import torch


def probe(backbone, head, optimizer, loader, held_out):
    for data, target in loader:
        optimizer.zero_grad()
        features = backbone(data)LEAVES
        torch.nn.functional.cross_entropy(head(features), target).backward()
        optimizer.step()
    with torch.no_grad():
        for data, target in held_out:
            print((head(backbone(data)).argmax(1) == target).sum())
"""


def found(text: str) -> list[Confidence]:
    return [one.confidence for one in linter.analyse(text, rules()).findings if one.code == "GRD401"]


@pytest.mark.parametrize("use", USES)
def test_what_a_class_gives_is_a_network_by_its_use(use: str) -> None:
    assert found(AGENT.replace("USE", use)) == [Confidence.LIKELY]


def test_what_a_network_gives_is_none() -> None:
    text = AGENT.replace("USE", "self.sizes = self.net.shape").replace("self.net(torch.tensor(state))", "self.net")
    assert not found(text)


@pytest.mark.parametrize("classes", CLASSES)
def test_a_test_for_a_wrapper_leaves_a_network_one(classes: str) -> None:
    assert found(WRAPPED.replace("CLASSES", classes)) == [Confidence.LIKELY]


@pytest.mark.parametrize("cls", CLASSES[:3])
def test_an_annotation_of_a_wrapper_tells_of_a_network(cls: str) -> None:
    text = WRAPPED.replace("args, model,", f"args, model: {cls},").replace("if isinstance(model, CLASSES)", "if args")
    assert found(text) == [Confidence.LIKELY]


@pytest.mark.parametrize("leaves", [".detach()", ".data"])
def test_what_is_detached_wants_no_graph_whatever_other_calls_do(leaves: str) -> None:
    assert found(PROBE.replace("LEAVES", leaves)) == [Confidence.LIKELY]
