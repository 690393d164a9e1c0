"""Cases for GRD313: forwards that write what they were handed."""

import torch
import torch.nn.functional as F
from torch import nn


class PreActivation(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, x):
        out = self.conv(self.relu(self.norm(x)))  # ok: writes what batch norm gave
        out += x  # ok: the result of the convolution
        return F.relu(self.relu(x) + out)  # GRD313


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, mask):
        x[mask] = 0.0  # GRD313
        x = self.linear(x)
        x[mask] = 1.0  # ok: a new tensor under the old name
        return x


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += 1  # ok: its own buffer
        x = x.clone()
        x *= self.scale  # ok: a copy
        return x

    def scale_(self, x):
        x.mul_(self.scale)  # ok: not in forward, and its name says so
        return x


class Dropping(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.1, inplace=True)

    def forward(self, x):
        return self.drop(x) * 2  # GRD313


class Normalised(nn.Module):
    def forward(self, x: torch.Tensor, eps=1e-6):
        mean = x.mean()
        mean -= eps  # ok: computed here
        view = x.view(-1)
        return view.sub_(mean)  # todo GRD313


class Quantized(nn.Module):
    def forward(self, x: torch.Tensor):
        x.data.clamp_(0, 1)  # todo GRD313
        return x.detach().clone().add_(1)  # ok: a clone


def run():
    image = torch.rand(2, 4, 4, 4)
    block = PreActivation(4)
    rows = torch.rand(2, 4)
    return block(image), Masked()(rows, torch.ones(2, dtype=torch.bool)), Scaled()(rows), Dropping()(rows)


run()
