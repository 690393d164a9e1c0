"""Cases for GRD107: methods hidden behind values, and attributes that may be called so."""

from unittest import mock

import torch
import torch.nn as nn
from torch import Tensor


class NeuralStyle(nn.Module):
    def __init__(self, content: Tensor, layers=3):
        super().__init__()
        self.features = nn.Sequential(*[nn.Conv2d(8, 8, 3) for _ in range(layers)])
        self.features.requires_grad_ = False  # GRD107
        self.canvas = nn.Parameter(content.clone())
        self.canvas.requires_grad_ = True  # GRD107

    def forward(self):
        return self.features(self.canvas)


def freeze_below(model: nn.Module, depth: int):
    for index, child in enumerate(model.children()):
        for p in child.parameters():
            p.requires_grad_ = index >= depth  # GRD107
    return model


def fgsm(model: nn.Module, image: Tensor, epsilon=0.1):
    image = image.detach().clone()
    image.requires_grad_, image.tag = True, "adversarial"  # GRD107
    model.train = False  # GRD107
    return image + epsilon * image.grad.sign()


def attention_gradients(scores: Tensor):
    weights = scores.softmax(-1)
    weights.retain_grad: bool = True  # GRD107
    return weights


class Budget(nn.Module):
    """Has an attribute of its own under the name of a method, and reads it."""

    def __init__(self, train):
        super().__init__()
        self.eval = 0  # ok: the module's own
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x) if self.eval else x


def configure(budget: Budget):
    budget.eval = 3  # ok: read by the class itself
    return budget


class Masking(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.width = width
        self.requires_grad_ = self.frozen = False  # GRD107


def load(build, path: str):
    network = build(path)
    network.load_state_dict(torch.load(path))
    network.eval()
    network.requires_grad_, network.tag = False, path  # GRD107
    network.zero_grad: object = build.reset  # ok: replaced by a function of its own
    return network


class Options:
    def __init__(self):
        self.requires_grad_ = True  # ok: neither a tensor nor a module


def plan(options: Options, settings):
    options.requires_grad_ = not options.requires_grad_  # ok: an option of one's own
    settings.train = "all" if settings.requires_grad_ else "head"  # ok: nothing says what this is
    return settings


def never_called(model: nn.Linear):
    model.requires_grad_ = mock.Mock(side_effect=AssertionError)  # ok: replaced on purpose, in a test
    model.eval = lambda: model  # ok: by a function
    return model


def recorded_switch(model: nn.Module):
    calls = []
    original = model.train

    def train(mode=True):
        calls.append(mode)
        return original(mode)

    model.train = train  # ok: a function that calls what it replaces
    return calls


def restored(model: nn.Linear, image: Tensor):
    keep = image.retain_grad
    image.retain_grad = keep or image.retain_grad  # ok: the method itself is put back
    model.weight.requires_grad = bool(keep)
    return model
