"""Cases for GRD609: computed tensors that become parameters, and parameters that are made of data."""

import copy

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, size=4):
        super().__init__()
        self.project = nn.Linear(size, size)
        self.start = nn.Parameter(torch.randn(size) * 0.02)  # ok: made of data
        self.tied = nn.Parameter(self.project.weight.t().clone())  # ok: a new weight from an old one

    def forward(self, x):
        hidden = torch.tanh(self.project(x))
        hidden = nn.Parameter(hidden, requires_grad=True)  # GRD609
        return hidden + self.start


class Normalised(nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = nn.Parameter(torch.ones(3, 3))

    def weight(self):
        return torch.nn.parameter.Parameter(self.raw / self.raw.norm())  # GRD609

    def forward(self, x):
        return x @ self.weight()


class Spectral(nn.Module):
    def __init__(self, layer: nn.Linear):
        super().__init__()
        self.layer = layer
        self.gain = nn.Parameter(torch.ones(()))

    def forward(self, x):
        self.layer.weight = nn.Parameter(self.gain * self.layer.weight)  # GRD609
        return self.layer(x)


class Guarded(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = None

    def forward(self, x: torch.Tensor):
        if self.scale is None:
            self.scale = nn.Parameter(x.detach().std(0))  # ok: detached statistics
        return x * self.scale


def pruned(layer: nn.Linear, keep):
    small = nn.Linear(layer.in_features, len(keep))
    small.weight = nn.Parameter(layer.weight[keep].clone())  # ok: weights for a new layer
    small.bias = nn.Parameter(layer.bias.data[keep])  # ok: data alone
    return small


def merged(first: nn.Conv2d, second: nn.Conv2d):
    with torch.no_grad():
        first.weight = nn.Parameter((first.weight + second.weight) / 2)  # ok: gradients are off
    return copy.deepcopy(first)


def meta_step(model: nn.Linear, x):
    fast = nn.Parameter(model.weight - 0.1 * model.weight.sum())  # GRD609
    (x @ fast.t()).pow(2).mean().backward()
    return model.weight.grad


def prompt(table: nn.Embedding, tokens):
    start = nn.Parameter(table(tokens).detach())  # GRD401
    start.sum().backward()
    return start


def adversarial(image: torch.Tensor):
    patch = nn.Parameter(image * 0.5)  # ok: nobody knows whether the image has a history
    patch.norm().backward()


class Table(nn.Module):
    def __init__(self, rows):
        super().__init__()
        self.first = nn.Parameter(torch.ones(rows))
        self.list = nn.ParameterList([nn.Parameter(torch.zeros(rows)) for _ in range(3)])  # ok: zeros

    def forward(self, x):
        picked = nn.Parameter(torch.stack([self.first, self.first]))  # GRD609
        return x @ picked + sum(self.list)
