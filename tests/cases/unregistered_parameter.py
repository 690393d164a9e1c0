"""Cases for GRD802: tensors that should be parameters, and those that are looked after in another way."""

import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, width, heads, device="cpu"):
        super().__init__()
        self.query = nn.Parameter(torch.randn(width, width))  # ok: a parameter
        self.temperature = torch.tensor(1.0, requires_grad=True)  # GRD802
        self.bias = torch.as_tensor([0.0] * heads).clone().requires_grad_(True)  # GRD802
        bound = 1 / math.sqrt(width)
        self.key = torch.empty(width, width, device=device).uniform_(-bound, bound).requires_grad_()  # GRD802
        self.register_buffer("mask", torch.ones(width, width))

    def forward(self, x):
        return F.softmax(x @ self.query @ self.key * self.temperature, dim=-1)


class Later(nn.Module):
    def __init__(self, width):
        super().__init__()
        weight = torch.randn(width, requires_grad=True)
        self.raw, self.size = weight, width  # ok: a registered parameter shares its memory
        self.register_parameter("weight", nn.Parameter(self.raw.detach()))

    def forward(self, x):
        return x * self.weight


class Named(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.first = torch.randn(sizes[0], requires_grad=True)  # ok: gathered in a list by hand
        self.second = torch.randn(sizes[1], requires_grad=True) * 0.1  # ok: a result of an operation, never a leaf
        self.params = [self.first]

    def forward(self, x):
        return x * self.first + self.second


class Gathering(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.zeros(3, 1, requires_grad=True)  # ok: the class gathers its parameters itself

    def parameters(self, recurse=True):
        return iter([self.w])


class Linear:
    """From scratch, with an optimizer of its own: no module."""

    def __init__(self, width, lr):
        self.weight = torch.zeros(width, requires_grad=True)  # ok: no module
        self.lr = lr

    def step(self):
        with torch.no_grad():
            self.weight -= self.lr * self.weight.grad


class Prompt(nn.Module):
    def __init__(self, backbone: nn.Module, length, width):
        super().__init__()
        self.backbone = backbone
        self.tokens = torch.zeros(length, width, requires_grad=True)  # ok: an optimizer is given it by hand

    def forward(self, x):
        return self.backbone(torch.cat([self.tokens, x]))


class Normalize(nn.Module):
    def __init__(self, mean: torch.Tensor):
        super().__init__()
        self.mean = mean  # ok: handed over, nobody knows whether it requires grad
        self.std = torch.tensor([0.229, 0.224, 0.225])  # ok: a constant
        self.empty = torch.zeros(3, requires_grad=False)  # ok: it says that it is none
        self.shift = torch.zeros(3, requires_grad=True)
        del self.shift

    def forward(self, x):
        return (x - self.mean) / self.std


class Frozen(nn.Module):
    def __init__(self, learn):
        super().__init__()
        self.alpha = torch.ones(1, requires_grad=learn)  # ok: nobody knows whether it is to be learned
        self.beta = None
        self.reset()

    def reset(self):
        self.beta: torch.Tensor = torch.full((2,), 0.5, requires_grad=True)  # GRD802

    def forward(self, x):
        hidden = x * self.alpha + self.beta
        self.last = hidden.detach().requires_grad_(True)  # ok: made in each call, to look at its gradient
        return self.last * 2


class Margin(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Attention(4, 2)
        self.temperature = self.inner.temperature  # ok: a second name for what the part should have registered

    def forward(self, x):
        return self.inner(x) + self.temperature


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    model = Prompt(nn.Linear(4, 4), 2, 4)
    optimizer = torch.optim.SGD([model.tokens], lr=args.lr)
    model(torch.ones(3, 4)).sum().backward()
    optimizer.step()
    return Frozen(bool(args.lr)), Linear(3, args.lr)
