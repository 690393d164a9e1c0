"""Functions that nobody calls see the networks, leaves and optimizers of the module as its body leaves them, likely.

What comes with use stays open to them: gradients, what other functions put into lists, modes where one sets any.
"""

from __future__ import annotations

import pytest
import torch

from gradlint import linter
from gradlint.domain import Belief
from gradlint.finding import Confidence
from gradlint.registry import rules

RULES = rules()
START = """
import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
head = nn.Linear(3, 2)
scale = torch.ones(3, requires_grad=True)
of_body = torch.optim.Adam(body.parameters(), lr=1e-3)
of_head = torch.optim.SGD([{"params": head.parameters()}, {"params": [scale]}], lr=1e-3)
kept = []
"""
STEP_BETWEEN = """
def train(batches):
    for x, y in batches:
        scores = head(body(x) * scale)
        of_body.zero_grad()
        scores.mean().backward(retain_graph=True)
        {first}.step()
        of_head.zero_grad()
        nn.functional.cross_entropy(scores, y).backward()
        of_head.step()
"""
BATCHES = "train([(torch.ones(2, 6), torch.ones(2).long())])\n"


def found(text: str, code: str) -> list[linter.Finding]:
    return [one for one in linter.analyse(text, RULES).findings if one.code == code]


def raised(text: str) -> str:
    """What torch raises on a program, empty if nothing."""
    try:
        exec(compile(text, "program", "exec"), {"__name__": "program"})
    except RuntimeError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("first", ["of_body", "of_head"])
def test_a_step_between_two_backwards_raises_likely(first: str) -> None:
    text = START + STEP_BETWEEN.format(first=first)
    (finding,) = found(text, "GRD305")
    assert finding.confidence is Confidence.LIKELY
    assert "modified by an inplace operation" in raised(text + BATCHES)


def test_what_is_kept_of_the_graph_by_no_step_does_not_raise() -> None:
    """The optimizer that steps holds nothing of this graph."""
    other = "other = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)\n"
    text = START + other + STEP_BETWEEN.format(first="other")
    assert not found(text, "GRD305")
    assert not raised(text + BATCHES)


EVALUATION = """
def evaluate(batches):
    body.eval()
    return [body(x).argmax(1).tolist() for x in batches]
"""


@pytest.mark.parametrize(("before", "codes"), [("", ["GRD401"]), ("body.requires_grad_(False)\n", [])])
def test_evaluation_of_a_network_of_the_module(before: str, codes: list[str]) -> None:
    text = START + before + EVALUATION
    assert [one.code for one in found(text, "GRD401")] == codes
    freezing = "def freeze():\n    for each in body.parameters():\n        each.requires_grad = False\n"
    assert not found(text + freezing, "GRD401")
    names: dict[str, object] = {"__name__": "program"}
    exec(compile(text, "program", "exec"), names)
    body = names["body"]
    assert isinstance(body, torch.nn.Module)
    assert body(torch.ones(2, 6)).requires_grad is bool(codes)


SETS_MODES = "def ready():\n    body.eval()\n"


@pytest.mark.parametrize(("other", "mode"), [("", "train"), (SETS_MODES, "train|?")])
def test_what_functions_may_have_changed_is_open(other: str, mode: str) -> None:
    """The list may hold something by now, and the network may be in another mode where a function sets it; where none
    does, it is believed to be in that of before."""
    heard: list[object] = []
    text = START + other + "def last():\n    return kept[-1], body(torch.ones(2, 6))\n"
    linter.analyse(text, (), watch=linter.Watch(listen=heard.append))
    (call,) = [one for one in heard if type(one).__name__ == "ModuleCalled" and not one.nested]  # type: ignore[attr-defined]
    assert str(call.module.mode) == mode  # type: ignore[attr-defined]
    assert call.module.belief is not Belief.PROVEN  # type: ignore[attr-defined]
    assert call.recorded is not None  # type: ignore[attr-defined]
