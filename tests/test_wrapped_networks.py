"""Networks that a class is given and may wrap: the wrapper is one with parameters, however often it was put around."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import packs, rules

TRAINER = """
import torch
from torch import nn


class Base:
    def __init__(self, model, optimizer):
        self.model = model.to("cuda")
        {wrapping}
        self.optimizer = optimizer

    def modes(self):
        self.model.train()
        self.model.eval()


class Trainer(Base):
    def __init__(self, model, optimizer, loader):
        super().__init__(model, optimizer)
        self.loader = loader

    def train_epoch(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            loss = {loss}
            loss.backward()
            self.optimizer.step()

    def evaluate(self):
        self.model.eval()
        for x, y in self.loader:
            print((self.model(x) - y).abs().mean().item())
"""
WRAPPING = [
    "pass",
    "if torch.cuda.device_count() > 1:\n            self.model = nn.DataParallel(self.model)",
    "self.model = nn.DataParallel(self.model, device_ids=[0, 1])",
    "self.model = nn.Sequential(self.model, nn.Softmax(1))",
]
LOSSES = ["(self.model(x) - y).pow(2).mean()", "self.criterion(self.model(x), y)", "self.model.loss_func(x, y)"]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("wrapping", WRAPPING)
def test_what_a_wrapped_network_gives_can_be_differentiated(wrapping, loss):
    text = TRAINER.format(wrapping=wrapping, loss=loss)
    found = linter.lint(text, rules(), packs=packs(), min_confidence=Confidence.POSSIBLE)
    assert [one.code for one in found if one.code != "GRD804"] == ["GRD401"]
