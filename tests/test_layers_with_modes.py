"""A network that is loaded whole: whether it has a part that minds its mode is taken from what its project makes."""

from __future__ import annotations

import pytest

from gradlint import linter, registry
from gradlint.disk import InMemory
from gradlint.finding import Confidence
from gradlint.project import Project

RULES = [one for one in registry.rules() if one.code == "GRD414"]
PREDICT = """\
import torch
model = torch.load("model.pt", weights_only=False)
with torch.no_grad():
    print(model(torch.load("x.pt")).argmax(1))
"""
NETWORK = """\
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 2), {layer})
    def forward(self, x):
        return self.layers(x)
"""
TRAIN = "import torch\nfrom network import Net\nnet = Net()\nnet.train()\ntorch.save(net, 'model.pt')\n"


def confidences(files: dict[str, str], text: str = PREDICT, at: str = "predict.py") -> list[Confidence]:
    project = Project(InMemory({**files, at: text}))
    return [one.confidence for one in linter.analyse(text, RULES, project=project.at(at)).findings]


@pytest.mark.parametrize(
    "layer", ["nn.BatchNorm2d(2)", "nn.Dropout(0.5)", "nn.Dropout2d()", "nn.LSTM(2, 2, dropout=0.1)"]
)
def test_a_project_that_makes_such_layers_most_likely_loads_some(layer):
    files = {"network.py": NETWORK.format(layer=layer), "train.py": TRAIN}
    assert confidences(files) == [Confidence.LIKELY]


@pytest.mark.parametrize("layer", ["nn.ReLU()", "nn.LayerNorm(2)", "nn.LSTM(2, 2)", "nn.Linear(2, 2)"])
def test_in_another_it_is_possible(layer):
    files = {"network.py": NETWORK.format(layer=layer), "train.py": TRAIN}
    assert confidences(files) == confidences({}) == [Confidence.POSSIBLE]


def test_the_file_itself_counts():
    assert confidences({}, NETWORK.format(layer="nn.Dropout()") + PREDICT) == [Confidence.LIKELY]


def test_whoever_puts_it_in_eval_mode_is_left_alone():
    files = {"network.py": NETWORK.format(layer="nn.Dropout()"), "train.py": TRAIN}
    assert not confidences(files, PREDICT.replace("with torch", "model.eval()\nwith torch"))


def test_a_part_of_a_network_may_have_none():
    files = {"network.py": NETWORK.format(layer="nn.Dropout()"), "train.py": TRAIN}
    assert confidences(files, PREDICT.replace("model", "encoder")) == [Confidence.POSSIBLE]
