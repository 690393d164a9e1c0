"""Networks that are evaluated in train mode, by what their layers do there and by what the data is called."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from gradlint import linter
from gradlint.registry import rules

NETWORK = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.body = LAYER

    def forward(self, x):
        return self.body(x)


def score(args, train_loader, test_loader):
    model = Net(args)
    opt = torch.optim.Adam(model.parameters())
    for x in train_loader:
        opt.zero_grad()
        model(x)[0].pow(2).mean().backward()
        opt.step()
    with torch.no_grad():
        return [model(x)[0].mean().item() for x in test_loader]
"""
DRAWING = [
    "nn.GRU(2, 3, num_layers=2, dropout=0.5)",
    "nn.LSTM(2, 3, 2, dropout=0.5)",
    "nn.GRU(2, 3, 3, True, False, 0.5)",
    "nn.RNN(2, 3, 3, dropout=0.5)",
    "nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5))",
    "nn.Sequential(nn.Linear(2, 3), nn.Dropout())",
]
SET_ELSEWHERE = [
    "nn.GRU(2, 3, args.layers, dropout=args.dropout)",
    "nn.LSTM(2, 3, num_layers=2, dropout=args.dropout)",
    "nn.Sequential(nn.Linear(2, 3), nn.Dropout(args.dropout))",
    "nn.Sequential(nn.Linear(2, 3), nn.Dropout(p=args.dropout))",
]
STILL = [
    "nn.GRU(2, 3, num_layers=2)",
    "nn.GRU(2, 3, num_layers=2, dropout=0.0)",
    "nn.LSTM(2, 3, num_layers=2, dropout=0)",
    "nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.0))",
    "nn.Sequential(nn.Linear(2, 3), nn.Tanh())",
]


def told(text: str, code: str = "GRD414") -> bool:
    return any(one.code == code for one in linter.analyse(text, rules()).findings)


def differs(layer: str) -> bool:
    """Return whether a layer in train mode gives another result the second time."""
    torch.manual_seed(0)
    space: dict[str, Any] = {"nn": nn}
    made, x = eval(layer, space), torch.ones(4, 5, 2)
    first, second = made(x), made(x)
    return not torch.equal(*(one[0] if isinstance(one, tuple) else one for one in (first, second)))


@pytest.mark.parametrize("layer", DRAWING)
def test_what_drops_in_train_mode_is_told(layer: str) -> None:
    assert differs(layer)
    assert told(NETWORK.replace("LAYER", layer))


@pytest.mark.parametrize("layer", SET_ELSEWHERE)
def test_a_share_that_is_set_elsewhere_is_there_to_drop(layer: str) -> None:
    assert told(NETWORK.replace("LAYER", layer))


@pytest.mark.parametrize("layer", STILL)
def test_what_drops_nothing_is_not(layer: str) -> None:
    assert not differs(layer)
    assert not told(NETWORK.replace("LAYER", layer))


def test_one_layer_drops_nothing_between_layers() -> None:
    with pytest.warns(UserWarning, match="num_layers greater than 1"):
        assert not differs("nn.GRU(2, 3, num_layers=1, dropout=0.5)")
    assert not told(NETWORK.replace("LAYER", "nn.GRU(2, 3, num_layers=1, dropout=args.dropout)"))


TRAINING = """
import torch
from torch import nn


def train(X_train, X_test, y_train, y_test):
    model = nn.Sequential(nn.Linear(10, 30), nn.BatchNorm1d(30), nn.Linear(30, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for epoch in range(2000):
        loss = torch.mean((model(X_train) - y_train) ** 2)
        guess = model(GIVEN)
        print(epoch, loss.item(), torch.mean((guess - y_test) ** 2).item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
TESTED = ["X_test", "X_test.float()", "torch.tensor(X_test)", "test_images", "val_x", "X_test[:100]"]
TESTED += ["test_real_A", "X_test.to(device)", "torch.tensor(val_faces).to(dev)", "Variable(TEST_PAIRS.cuda(dev))"]
NOT_TESTED = ["X_train", "X_train[:100]", "torch.ones(3, 10)", "train_and_test_x"]
NOT_TESTED += ["x.to(dev)", "x.cuda(device=dev)", "x.type(dev.dtype)", "latest_x", "test_net(z)", "tests(z)"]


@pytest.mark.parametrize("given", TESTED)
def test_what_the_data_is_called_tells_that_it_is_evaluated(given: str) -> None:
    assert told(TRAINING.replace("GIVEN", given))
    assert told(TRAINING.replace("GIVEN", given), "GRD401")


@pytest.mark.parametrize("given", NOT_TESTED)
def test_other_data_does_not(given: str) -> None:
    assert not told(TRAINING.replace("GIVEN", given))


def test_what_is_trained_on_is_no_evaluation_whatever_it_is_called() -> None:
    text = TRAINING.replace("GIVEN", "X_test").replace("loss.backward()", "(loss + guess.mean()).backward()")
    assert not told(text)
    assert not told(text, "GRD401")


SERVED = """
import sys
import torch
from torch import nn
from web import route

scorer = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
scorer.load_state_dict(torch.load("scorer.pt"))
PREPARED


@route("/score")
def score():
    x = torch.ones(1, 3)
    return scorer(x).data.tolist()


def prepare():
    OTHER
"""
LEFT_IN_TRAIN_MODE = [("", "return scorer"), ("scorer.cpu()", "pass"), ("scorer.train()", "print(scorer[1].training)")]
PREPARED = [("scorer.eval()", "pass"), ("", "scorer.eval()"), ("", "scorer.train(False)")]


def served(prepared: str, other: str) -> str:
    return SERVED.replace("PREPARED", prepared).replace("OTHER", other)


@pytest.mark.parametrize(("prepared", "other"), LEFT_IN_TRAIN_MODE)
def test_functions_that_nobody_calls_find_networks_as_the_file_left_them(prepared: str, other: str) -> None:
    assert told(served(prepared, other))


@pytest.mark.parametrize(("prepared", "other"), PREPARED)
def test_a_file_that_sets_the_mode_anywhere_is_believed(prepared: str, other: str) -> None:
    assert not told(served(prepared, other))
