"""Cases for GRD805: buffers that require grad, and buffers as they should be."""

import copy
import math

import torch
import torch.nn as nn


class Positional(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        table = torch.zeros(length, width)
        step = torch.exp(torch.arange(0, width, 2) * (-math.log(1e4) / width))
        table[:, 0::2] = torch.sin(torch.arange(length).unsqueeze(1) * step)
        self.register_buffer("table", table)  # ok: constants
        self.register_buffer("missing", None)  # ok: nothing yet
        learned = torch.randn(length, width).requires_grad_()
        self.register_buffer("learned", tensor=learned, persistent=False)  # GRD805

    def forward(self, x):
        return x + self.table + self.learned


class Ema(nn.Module):
    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = copy.deepcopy(model)
        for name, param in model.named_parameters():
            self.register_buffer(name.replace(".", "_"), param.detach().clone())  # ok: detached
        for name, param in self.model.named_parameters():
            self.register_buffer(name.replace(".", "-"), param.data)  # ok: another handle that requires no grad


class Codebook(nn.Module):
    def __init__(self, size, width, learn=True):
        super().__init__()
        embed = nn.Embedding(size, width)
        self.register_buffer("codes", embed.weight)  # GRD805
        with torch.no_grad():
            norms = embed.weight.norm(dim=1)
        self.register_buffer("norms", norms)  # ok: computed without a graph
        self.register_buffer("nearest", embed.weight.argmax(1))  # ok: whole numbers
        frozen = nn.Parameter(torch.ones(width), requires_grad=False)
        self.register_buffer("frozen", frozen)  # ok: asked to require no grad
        self.register_buffer(name="maybe", tensor=torch.ones(1, requires_grad=learn))  # ok: may require none


class Normalized(nn.Module):
    def __init__(self, layer: nn.Linear, mean: torch.Tensor):
        super().__init__()
        self.layer = layer
        self.register_buffer("mean", mean)  # ok: handed over, nobody knows
        self.register_buffer("scale", 1 / nn.Linear(3, 3).weight.norm())  # GRD805

    def forward(self, x):
        return self.layer(x - self.mean) * self.scale


def normalized_by_a_hook(layer: nn.Linear):
    weight = nn.Parameter(torch.ones(3, 4))
    del layer._parameters["weight"]
    layer.register_parameter("weight_orig", weight)
    layer.register_buffer("weight", weight)  # ok: trained under its other name; before each call a result stands here
    return layer


def add_statistics(module: nn.Module, width):
    for kind in ("mean", "var"):
        module.register_buffer(f"running_{kind}", torch.zeros(width))  # ok: named by a loop, constants
    temperature = torch.tensor(0.07)
    temperature.requires_grad = True
    module.register_buffer("temperature", temperature)  # GRD805
    return module


class Whitened(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.register_buffer("spread", self.layer.weight.std(0))  # ok: each forward goes on from it: the next mark
        self.register_buffer("shift", torch.zeros(width))

    def forward(self, x):
        hidden = self.layer(x)
        self.spread = 0.9 * self.spread + 0.1 * hidden.std(0)  # GRD508
        self.measure(hidden)
        return (hidden - self.shift) / self.spread

    def measure(self, hidden):
        self.register_buffer("shift", hidden.mean(0, True))  # GRD805
        self.register_buffer("rows", hidden.detach().mean(1))  # ok: cut off


Whitened(3)(torch.ones(4, 3)).sum().backward()
