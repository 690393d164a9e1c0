"""Parts of a module that code makes which nobody shows: what its class applies has parameters, unless names say not."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import packs, rules

NET = """
import torch
from torch import nn
import zoo


class Net({base}):
    def __init__(self, width):
        super().__init__()
        self.{name} = {made}

    def forward(self, x):
        return {applied}


net = Net(4)
net.eval()
print(net(torch.rand(2, 4)).tolist())
"""


def told(name: str, made: str, applied: str = "", base: str = "nn.Module") -> list[str]:
    text = NET.format(base=base, name=name, made=made, applied=applied or f"self.{name}(x)")
    found = linter.lint(text, rules(), packs=packs(), min_confidence=Confidence.LIKELY)
    return [one.code for one in found if one.code == "GRD401"]


@pytest.mark.parametrize("base", ["nn.Module", "zoo.Base, nn.Module"])
@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("trunk", "zoo.build_trunk(width)"),
        ("Q", "zoo.create_linear_network(width, 1, hidden_units=[64])"),
        ("net", "zoo.REGISTRY.build(dict(type='mlp'))"),
        ("encoder", "zoo.encoders['small'](width)"),
        ("head", "zoo.Head(width).cuda()"),
    ],
)
def test_what_a_module_gets_made_and_applies_has_parameters(name, made, base):
    assert told(name, made, base=base) == ["GRD401"]


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("act", "zoo.activation('relu')"),
        ("between", "zoo.get_activation('relu')"),
        ("drop", "zoo.make(0.5)"),
        ("criterion", "zoo.build('ce')"),
        ("resize", "zoo.Resize(32)"),
        ("size", "zoo.size_of(width)"),
    ],
)
def test_what_has_nothing_to_train_by_its_names_is_none(name, made):
    assert not told(name, made, "" if name != "size" else "x * self.size")


def test_an_object_that_makes_others_is_none():
    assert not told("trunk", "zoo.trunk_maker(width)", "self.trunk()(x)")


CHOSEN = """
import torch
from torch import nn
import zoo


class Recurrent(nn.Module, zoo.Base):
    def __init__(self, kind="gru"):
        super().__init__()
        if kind == "gru":
            self.cell = nn.GRU(4, 4)
        elif kind == "lstm":
            self.cell = nn.LSTM(4, 4)
        else:
            self.cell = {last}


net = Recurrent(zoo.KIND)
net(torch.rand(2, 4)).numpy()
"""


@pytest.mark.parametrize(
    ("last", "codes"), [("nn.Linear(4, 4)", ["GRD615"]), ("nn.Flatten()", []), ("nn.Identity()", []), ("None", [])]
)
def test_one_of_several_parts_takes_part(last: str, codes: list[str]) -> None:
    """Whichever it is, where each has parameters."""
    found = linter.lint(CHOSEN.format(last=last), rules(), packs=packs(), min_confidence=Confidence.LIKELY)
    assert [one.code for one in found] == codes
