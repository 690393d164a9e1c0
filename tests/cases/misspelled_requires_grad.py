"""Cases for GRD103: slips in the name of the flag, and other people's attributes that share the name."""

import math
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import functional as F


class PositionalEmbedding(nn.Module):
    def __init__(self, width, longest=512):
        super().__init__()
        table = torch.zeros(longest, width)
        table.require_grad = False  # GRD103
        position = torch.arange(0, longest).unsqueeze(1)
        divisor = torch.exp(torch.arange(0, width, 2) * -(math.log(10000.0) / width))
        table[:, 0::2] = torch.sin(position * divisor)
        table[:, 1::2] = torch.cos(position * divisor)
        self.register_buffer("table", table.unsqueeze(0))

    def forward(self, x):
        return self.table[:, : x.size(1)]


def freeze_all_but_head(net: nn.Module):
    for name, param in net.named_parameters():
        if not name.startswith("head"):
            param.required_grad, param.tag = False, name  # GRD103


def fine_tune(depth):
    net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))
    for block in net.children():
        block.requires_grads = depth > 1  # GRD103
    net[2].weight.requires_gradients = depth == 0  # GRD103
    return net


def input_gradient(image: Tensor, net: nn.Module):
    image.requires_gard = True  # GRD103
    return F.relu(net(image)).sum()


class StyleLoss(nn.Module):
    def __init__(self, target: Tensor):
        super().__init__()
        self.target = nn.Parameter(target.detach())
        self.target.requiresgrad: bool = False  # GRD103

    def forward(self, x):
        return F.mse_loss(x, self.target)


class Layer:
    """A layer of a small framework of its own, no nn.Module."""

    def __init__(self, require_grad=True):
        self.require_grad = require_grad  # ok: its own attribute, read below

    def update(self, weight, gradient):
        return weight - gradient if self.require_grad else weight


class Adapter(nn.Module):
    def __init__(self, inner: nn.Module, trainable: bool):
        super().__init__()
        self.inner = inner
        self.require_grad = not trainable or None  # ok: the module's own switch, read in forward

    def forward(self, x):
        x = self.inner(x)
        return x if self.require_grad else x.detach()


class Probe(nn.Linear):
    requires_grads = True

    def forward(self, x):
        return super().forward(x)


def switch_probe():
    probe = Probe(4, 1)
    probe.requires_grads = probe.bias is None  # ok: the class defines the attribute
    return probe


@dataclass
class Field:
    name: str
    require_grad: bool = False


def describe(fields: list[Field]):
    for field in fields:
        field.require_grad = field.name in ("weight", "bias")  # ok: a record of one's own
    return fields


def from_another_framework(parameter, options):
    parameter.require_grad = options["train"]  # ok: nothing says that it is a tensor of torch
    options["settings"].requires_gradient = not options["train"]  # ok: nor this


def finetuning_settings(args):
    args.require_grads = [name for name in args.layers if name]  # ok: a namespace of the command line
    return args


def freeze(weight: Tensor, adapter: Adapter):
    weight.requires_grad = False
    adapter.require_grad = bool(weight.ndim) and True  # ok: set from outside, but read by the class itself
