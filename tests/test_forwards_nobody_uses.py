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


def told(text: str, least: Confidence = Confidence.LIKELY) -> list[str]:
    found = linter.lint(HEAD + text, rules(), packs=packs(), min_confidence=Confidence.POSSIBLE)
    return [one.code for one in found if one.code == "GRD401" and one.confidence <= least]


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


HELD_OUT = """
class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, x):
        return self.layers(x)

    def {name}(self):
        grid = torch.cartesian_prod(torch.linspace(0, 1, 9), torch.linspace(0, 1, 9))
        return (self(grid) - grid.prod(1, keepdim=True)).pow(2).mean()
"""


@pytest.mark.parametrize("name", ["val_loss", "compute_test_loss", "compute_validation_loss", "evalLoss"])
def test_a_loss_on_what_is_held_out_is_no_loss_to_train_by(name):
    assert told(HELD_OUT.format(name=name), Confidence.POSSIBLE) == ["GRD401"]


@pytest.mark.parametrize("name", ["loss", "train_loss", "prediction_loss", "test_loss", "val_loss_fn", "test_step"])
def test_another_loss_is_what_its_callers_train_by(name):
    assert not told(HELD_OUT.format(name=name), Confidence.POSSIBLE)


def test_a_loss_on_what_is_held_out_may_be_differentiated():
    """So are learning rates and the like fitted."""
    used = "\n\ndef tune(field, rate):\n    (field.val_loss() * rate).backward()\n    return rate.grad\n"
    text = HELD_OUT.format(name="val_loss") + used + "\ntune(Field(), torch.ones((), requires_grad=True))\n"
    assert not told(text, Confidence.POSSIBLE)
