"""Unseen code that is handed a network most likely leaves its mode alone, unless its name says otherwise."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence, Finding
from gradlint.registry import rules

PROGRAM = """
import torch
from elsewhere import unseen

net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    for x, y in [(torch.ones(2, 3), torch.ones(2, 3))] * 2:
        optimizer.zero_grad()
        (net(x) - y).pow(2).mean().backward()
        optimizer.step()
    net.eval()
    unseen
"""


def left_in_eval_mode(line: str) -> list[Finding]:
    text = PROGRAM.replace("    unseen\n", f"    {line}\n")
    return [one for one in linter.analyse(text, rules()).findings if one.code == "GRD412"]


@pytest.mark.parametrize("line", ["unseen(net)", "unseen.describe([net])", "count = unseen({'net': net}, epoch)"])
def test_a_name_that_says_nothing_leaves_the_mode(line: str) -> None:
    (found,) = left_in_eval_mode(line)
    (known,) = left_in_eval_mode("pass")
    trusted = {sign.confidence for sign in set(found.signs) - set(known.signs) if "left it alone" in sign.text}
    assert trusted == {found.confidence} == {Confidence.LIKELY}


@pytest.mark.parametrize("name", ["evaluate", "restore_best", "run", "fit", "train_one_epoch", "freeze", "set_mode"])
def test_a_name_that_may_switch_leaves_it_open(name: str) -> None:
    assert not left_in_eval_mode(f"unseen.{name}(net)")


def test_a_mode_that_is_switched_afterwards_is_that() -> None:
    assert not left_in_eval_mode("unseen(net)\n    net.train()")
    assert not left_in_eval_mode("unseen(net)\n    net.train(epoch < unseen.last)")
