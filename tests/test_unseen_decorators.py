"""An unseen decorator or manager most likely leaves the grad mode of what it is around alone, unless its name says
otherwise: web routes, command lines, timers and retries do."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules

EVALUATION = """
import torch
from elsewhere import app, click, no_grad_while, no_gradients, inference, timed, frozen_weights, serving

net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Dropout(0.5))

DECORATOR
def scores(rows):
    net.eval()
    with MANAGER:
        found = net(rows)
    return found.detach().tolist()
"""
RUN = """
import torch
from elsewhere import click, inference, timed

DECORATOR
def main():
    weights = torch.ones(2, requires_grad=True)
    weights.add_(1)

main()
"""
PLAIN = ["timed", "timed(retries=3)", "app.route('/predict', methods=['POST'])", "click.command()"]
SWITCHING = ["no_gradients", "inference(net)", "serving.evaluation(3)", "no_grad_while(True)", "frozen_weights"]


def found(text: str, code: str) -> list[Confidence]:
    return [one.confidence for one in linter.analyse(text, rules()).findings if one.code == code]


def evaluation(decorator: str, manager: str = "serving.lock") -> str:
    return EVALUATION.replace("DECORATOR", decorator).replace("MANAGER", manager)


@pytest.mark.parametrize("name", PLAIN)
def test_a_name_that_says_nothing_leaves_gradients_on(name: str) -> None:
    assert found(evaluation(f"@{name}"), "GRD401") == [Confidence.LIKELY]
    assert found(evaluation("", name), "GRD401") == [Confidence.LIKELY]


@pytest.mark.parametrize("name", SWITCHING)
def test_a_name_that_may_switch_leaves_the_grad_mode_open(name: str) -> None:
    assert not found(evaluation(f"@{name}"), "GRD401")
    assert not found(evaluation("", name), "GRD401")


@pytest.mark.parametrize("name", PLAIN[:2])
def test_what_is_refused_under_an_unseen_decorator_is_likely(name: str) -> None:
    assert found(RUN.replace("DECORATOR\n", ""), "GRD301") == [Confidence.CERTAIN]
    assert found(RUN.replace("DECORATOR", f"@{name}"), "GRD301") == [Confidence.LIKELY]


def test_a_mode_that_a_torch_decorator_sets_holds_under_an_unseen_one() -> None:
    assert not found(evaluation("@timed\n@torch.no_grad()"), "GRD401")
    assert not found(evaluation("@torch.no_grad()\n@timed"), "GRD401")
