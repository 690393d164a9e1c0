"""Forwards whose results go nowhere, or into pictures: a network at work that records a graph for that is reported."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import packs, rules

HEAD = "import torch, torchvision, time\nfrom torch import nn\nfrom zoo import Net\n\n"
TIMED = """
def measure(batch):
    net = Net()
    net.load_state_dict(torch.load("net.pt"))
    {before}
    begun = time.time()
    net(batch)
    return time.time() - begun
"""
DRAWN = """
def export(G, folder):
    for step in range(9):
        noise = torch.randn(8, 64)
        pictures = {call}
        {shown}
"""
CALLS = ["G(noise)", "G.forward(noise, 'stable')"]
SHOWN = [
    "torchvision.utils.save_image(pictures, folder)",
    "for number, one in enumerate(pictures):\n            torchvision.utils.save_image(one, f'{folder}/{number}.png')",
]


def told(text: str) -> list[str]:
    found = linter.lint(HEAD + text, rules(), packs=packs())
    return [one.code for one in found if one.code == "GRD401" and one.confidence <= Confidence.LIKELY]


@pytest.mark.parametrize(("before", "expected"), [("pass", 1), ("net.eval()", 1), ("net.requires_grad_(False)", 0)])
def test_a_forward_that_nobody_uses_is_reported_where_the_network_is_at_work(before, expected):
    assert len(told(TIMED.format(before=before))) == expected


def test_a_forward_that_nobody_uses_is_left_alone_where_nothing_says_what_it_is_for():
    """It may be there for the statistics of batch norms, or to make lazy layers."""
    assert not told("def warm_up(batch):\n    net = Net()\n    net(batch)\n    return net\n")


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("call", CALLS)
def test_what_only_pictures_show_of_is_a_network_by_its_name(call, shown):
    assert told(DRAWN.format(call=call, shown=shown)) == ["GRD401"]


@pytest.mark.parametrize("call", CALLS)
def test_what_a_loss_is_computed_from_is_no_picture(call):
    assert not told(DRAWN.format(call=call, shown="return picture_loss(pictures, folder)"))
