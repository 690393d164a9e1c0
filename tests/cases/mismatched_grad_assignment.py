"""Cases for GRD208: what `.grad` takes, and what it refuses."""

import argparse

import numpy as np
import pytest
import torch
import torch.nn as nn


class Surgery:
    def __init__(self, model: nn.Module, args: argparse.Namespace):
        self.model = model
        self.shift = torch.zeros(4, requires_grad=True)
        self.rate = args.rate

    def reset(self):
        for param in self.model.parameters():
            param.grad = 0.0  # GRD208
        self.shift.grad = None  # ok: this is how a gradient is cleared

    def clear(self):
        for name, param in self.model.named_parameters():
            if name.endswith("bias"):
                param.grad = torch.zeros_like(param)  # ok: like the parameter
            else:
                param.grad = param.data.new_zeros(param.size())  # ok: of the same dtype

    def project(self, gradients):
        for param, gradient in zip(self.model.parameters(), gradients):
            param.grad = gradient  # ok: nobody knows what the gradients are
        self.shift.grad = self.shift.sign().long()  # GRD208
        self.shift.grad = np.zeros(4)  # GRD208
        self.shift.grad = torch.from_numpy(np.ones(4, dtype=np.float32))  # ok: an array may be of this dtype

    def share(self, other: nn.Module):
        for mine, its in zip(self.model.parameters(), other.parameters()):
            mine.grad = its.grad.clone()  # ok: another model may be of the same dtype
            mine._grad = its.grad


def masked(layer: nn.Linear):
    layer(torch.ones(1, 3)).sum().backward()
    mask = layer.weight > 0
    layer.weight.grad = mask  # GRD208
    layer.bias.grad = [0.0, 0.0]  # GRD208


def masked_gradient(layer: nn.Linear):
    layer(torch.ones(1, 3)).sum().backward()
    layer.weight.grad = layer.weight.grad * (layer.weight > 0)  # ok: the product is of the gradient's dtype


def half(size: int):
    weight = torch.zeros(size, dtype=torch.bfloat16, requires_grad=True)
    weight.grad = torch.ones(size, size).sum(0)  # GRD208
    weight.grad = torch.zeros(4)  # GRD208
    weight.grad = torch.ones(size, dtype=weight.dtype)  # ok: of the dtype of the weight


class Accumulator:
    """Not a tensor: its `grad` is a number."""

    def __init__(self):
        self.grad = 0

    def reset(self):
        self.grad = 0.0


def perhaps(flag: bool):
    weight = torch.zeros(2, requires_grad=True)
    weight.grad = torch.ones(2) if flag else None  # ok: a tensor or None
    return weight


def test_refused():
    weight = torch.zeros(2, requires_grad=True)
    with pytest.raises(TypeError):
        weight.grad = "zero"  # ok: the error is what is tested


def shaped(layer: nn.Linear, rows: int):
    scale = nn.Parameter(torch.full((2, 3), 0.5))
    scale.grad = torch.randn(2, 3, 1).squeeze(-1)  # ok: of the same shape
    scale.grad = scale.detach().t()  # GRD208
    scale.grad = torch.randn(rows, 3)  # ok: nobody knows how many rows
    layer.weight.grad = torch.eye(5)  # ok: nobody knows how large the layer is


class Value:
    """A number of an autograd that is written in Python."""

    def __init__(self, data):
        self.data, self.grad = data, 0.0

    def backward(self):
        self.grad = 1.0


def descend(values, rate):
    for one in values:
        one.data -= rate * one.grad
        one.grad = 1 - 1.0  # ok: it may be one of these
