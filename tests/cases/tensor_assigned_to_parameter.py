"""Cases for GRD809: what modules take under the name of a parameter, and what they refuse."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


class Mixture(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.weights = nn.Parameter(torch.ones(parts))
        self.register_parameter("shift", nn.Parameter(torch.zeros(1)))
        self.register_parameter("later", None)
        self.register_buffer("count", torch.zeros(1))
        self.plain = torch.ones(parts)

    def normalised(self):
        self.plain = self.plain / 2  # ok: no parameter
        self.count = self.count + 1  # ok: a buffer takes tensors
        self.weights = F.softmax(self.weights, dim=0)  # GRD809
        return self.weights

    def moved(self, device):
        self.shift = nn.Parameter(self.shift.to(device))  # ok: a parameter again
        self.later = None  # ok: None is taken

    def cloned(self):
        self.shift = self.shift.detach().clone()  # GRD809


class Wrapping(nn.Module):
    """Takes tensors and writes them into its parameters."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def __setattr__(self, name, value):
        if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter):
            value = nn.Parameter(value)
        super().__setattr__(name, value)

    def doubled(self):
        self.scale = self.scale * 2  # ok: its own way of setting


def trained_by_hand(rate):
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    net(torch.randn(3, 4)).sum().backward()
    net[2].bias = net[2].bias.detach() - rate  # GRD809


def averaged(first: nn.Linear, second: nn.Linear):
    mean = copy.deepcopy(first)
    mean.weight.data = (first.weight.data + second.weight.data) / 2  # ok: the memory is replaced
    mean.bias = nn.Parameter((first.bias + second.bias).detach() / 2)  # ok: wrapped
    mean.weight = (first.weight + second.weight) / 2  # GRD809
    return mean


def deleted_first():
    net = nn.Linear(3, 3)
    weight = net.weight
    del net.weight
    net.weight = weight * 2  # ok: nothing is registered under that name any more
    return net


def tied():
    encoder, decoder = nn.Linear(8, 3), nn.Linear(3, 8)
    decoder.weight = encoder.weight  # ok: the parameter itself
    decoder.weight = encoder.weight.t()  # GRD809


def from_numbers(values):
    head = nn.Linear(2, 2, bias=False)
    head.weight = torch.tensor(values)  # GRD809


class Scaled:
    def __init__(self, name):
        self.name = name

    def __call__(self, module, inputs):
        setattr(module, self.name, getattr(module, f"{self.name}_raw") * 0.5)  # ok: it was taken out of its place


def scaled(module, name="weight"):
    raw = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(f"{name}_raw", nn.Parameter(raw.data))
    module.register_forward_pre_hook(Scaled(name))
    return module


def half(size):
    net = nn.Sequential(scaled(nn.Linear(size, size)), nn.ReLU())
    return net(torch.rand(2, size))


def taken_out_of_another(left: nn.Linear, right: nn.Linear):
    del left._parameters["weight"]
    left.weight = torch.flip(right.weight, (0,))  # ok: nothing has that name in it any more
    right.weight = torch.stack([right.weight] * 2).amax(0)  # GRD809
