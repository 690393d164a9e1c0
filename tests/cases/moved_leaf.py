"""Cases for GRD120: leaves lost behind a move, a cast or a factor, and tensors that are only computed."""

import argparse

import torch
import torch.nn as nn

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def linear_regression(inputs, targets, steps=100):
    weight = torch.randn(3, 1, requires_grad=True).to(DEVICE)  # GRD120
    bias = torch.zeros(1, device=DEVICE, requires_grad=True)
    optimizer = torch.optim.SGD([weight, bias], lr=0.1)
    for _ in range(steps):
        loss = (inputs @ weight + bias - targets).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class TwoLayers:
    def __init__(self, args: argparse.Namespace):
        self.first = torch.randn(4, 8, requires_grad=True) / 2  # GRD120
        self.second = (torch.randn(8, 1) / 8).requires_grad_()
        self.rate = args.rate

    def step(self, inputs):
        (inputs @ self.first).relu().mm(self.second).mean().backward()
        with torch.no_grad():
            self.first -= self.rate * self.first.grad
            self.second -= self.rate * self.second.grad  # ok: asked last


def style_transfer(content, style_loss, steps=20):
    image = torch.rand(1, 3, 64, 64, requires_grad=True)
    image = image.cuda()
    optimizer = torch.optim.LBFGS([image])  # GRD713
    return optimizer


def rebound(rows: int):
    table = torch.arange(4.0, requires_grad=True)
    table = table.reshape(rows, -1)  # GRD120
    table.exp().sum().backward()
    return table.grad


def kept_as_well():
    start = torch.randn(3, requires_grad=True)
    moved = start.double()
    moved.sum().backward()
    return start.grad  # ok: the leaf is still there and it is read


def same_place(size: int):
    weight = torch.randn(size, requires_grad=True).to("cpu").float()
    weight.sum().backward()
    print(weight.grad)  # ok: there was nothing to move, it is the leaf itself
    there = torch.randn(size, device=DEVICE, requires_grad=True).to(DEVICE)
    there.sum().backward()
    return there.grad.abs()  # ok: made on some device, perhaps on the same


def retained():
    scaled = torch.ones(3, requires_grad=True) * 0.5
    scaled.retain_grad()
    scaled.sum().backward()
    return -scaled.grad  # ok: told to retain its gradient


def computed(model: nn.Module):
    score = model(torch.rand(1, 3, 8, 8, requires_grad=True))
    loss = torch.ones(3, requires_grad=True).norm()
    loss.backward()
    optimizer = torch.optim.Adam([{"params": model.parameters()}])
    return score, optimizer, [loss.grad]  # GRD201


def parameters(device):
    weight = nn.Parameter(torch.randn(3)).to(device)  # GRD120
    frozen = torch.randn(3).to(device)
    shared = nn.Parameter(torch.randn(3).to(device))
    torch.optim.Adam([weight], lr=1e-3)
    torch.optim.Adam([frozen.requires_grad_(), shared], lr=1e-3)


def handed_in(weight: torch.Tensor, device):
    weight = weight.to(device)
    weight.sum().backward()
    return weight.grad, device  # ok: nobody knows where the weight is


def guarded(device):
    weight = torch.zeros(2, requires_grad=True).to(device)
    weight.sum().backward()
    return None if weight.grad is None else 1


def either(scale):
    weight = torch.zeros(2, requires_grad=True)
    if scale:
        weight = weight * scale
    weight.sum().backward()
    return {"grad": weight.grad}  # ok: a leaf on one of the paths


def tested_alone():
    field = torch.rand(3, 2, requires_grad=True)
    field = field.double()  # GRD120
    first = torch.rand(2, requires_grad=True)
    shifted = first * 2
    row = torch.zeros(4, requires_grad=True).half()  # GRD120
    print(row.grad is None, shifted.grad is None)  # ok: what it was computed from has a name
    ((field**2).sum() + shifted.sum() + row.float().sum()).backward()
    if row.grad is not None:
        row.grad.zero_()
    return "has a gradient" if field.grad is not None else first


def tested_too_early():
    weight = torch.randn(2, requires_grad=True) * 0.1
    assert weight.grad is None  # ok: no leaf has a gradient before the first backward
    return weight.sum()
