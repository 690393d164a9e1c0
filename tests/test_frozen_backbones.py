"""A frozen network of a library that came with its weights goes on moving its statistics in train mode."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import packs, rules
from gradlint.showing import shown

PROGRAM = """
import torch
from torch import nn
from torchvision import models


class Classifier(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.backbone = models.MADE
        FREEZE
        HEAD

    def forward(self, x):
        return self.backbone(x)


def fit(loader, device):
    model = Classifier(4).to(device)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad])
    for epoch in range(4):
        MODE
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
"""
LOOP = "for p in self.backbone.parameters():\n            p.requires_grad = False"
ALL = "self.backbone.requires_grad_(False)"
HEAD = "self.backbone.fc = nn.Linear(512, classes)"
TOLD = {
    "a loop": ("resnet18(pretrained=True)", LOOP, HEAD, "model.train()"),
    "all at once": ("resnet50(weights='DEFAULT')", ALL, HEAD, "model.train()"),
    "a densenet": (
        "densenet121(pretrained=True)",
        ALL,
        "self.backbone.classifier = nn.Linear(1024, classes)",
        "model.train()",
    ),
    "a mobilenet": (
        "mobilenet_v2(pretrained=True)",
        LOOP,
        "self.backbone.classifier[1] = nn.Linear(9, classes)",
        "model.train()",
    ),
    "its last block trained": (
        "resnet18(pretrained=True)",
        f"{LOOP}\n        self.backbone.layer4.requires_grad_(True)",
        HEAD,
        "model.train()",
    ),
}
SPARED = {
    "in eval mode": ("resnet18(pretrained=True)", LOOP, HEAD, "model.train().backbone.eval()"),
    "nothing says train mode": ("resnet18(pretrained=True)", LOOP, HEAD, "pass"),
    "trained from scratch": ("resnet18(pretrained=False)", LOOP, HEAD, "model.train()"),
    "nothing frozen": ("resnet18(pretrained=True)", "", HEAD, "model.train()"),
    "no batch norm": (
        "vgg16(pretrained=True)",
        LOOP,
        "self.backbone.classifier[6] = nn.Linear(9, classes)",
        "model.train()",
    ),
    "another part frozen": (
        "resnet18(pretrained=True)",
        "self.backbone.layer1.requires_grad_(False)",
        HEAD,
        "model.train()",
    ),
}


def codes(parts: tuple[str, ...]) -> set[str]:
    """Return the codes of what is told of a program with these parts."""
    text = PROGRAM
    for name, part in zip(("MADE", "FREEZE", "HEAD", "MODE"), parts, strict=True):
        text = text.replace(name, part)
    found = linter.analyse(text, rules(), packs=packs()).findings
    return {one.code for one in shown(found, rules(), Confidence.LIKELY)}


@pytest.mark.parametrize("name", TOLD)
def test_statistics_of_a_frozen_backbone_are_told(name: str) -> None:
    assert "GRD806" in codes(TOLD[name])


@pytest.mark.parametrize("name", SPARED)
def test_what_does_not_move_them_is_not(name: str) -> None:
    assert "GRD806" not in codes(SPARED[name])
