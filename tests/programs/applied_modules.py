"""A module is applied by a `__call__` of its own, by a `forward` that was put in its place, by one taken off it before."""

import torch
from torch import nn


class Detaching(nn.Linear):
    def __call__(self, x):
        return super().__call__(x).detach()

    def forward(self, x):
        return super().forward(x) * 2


layer = Detaching(2, 2)
x = torch.ones(1, 2)
reveal(layer(x))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(layer.forward(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(layer.__call__(x))  # Tensor[float, requires_grad=no, leaf=yes]

net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
original = net.forward
reveal(original(x))  # Tensor[float, requires_grad=yes, leaf=no]


def counted(*args):
    return original(*args).argmax(-1)


net.forward = counted
reveal(net(x))  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(net.forward(x))  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(original(x))  # Tensor[float, requires_grad=yes, leaf=no]


class Switching(nn.Module):
    def __init__(self, fast):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.forward = self.fast if fast else self.slow

    def fast(self, x):
        return self.inner(x)

    def slow(self, x):
        with torch.no_grad():
            return self.inner(x)


reveal(Switching(True)(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(Switching(False)(x))  # Tensor[float, requires_grad=no, leaf=yes]

same = nn.Linear(2, 2)
same.forward = same.forward
reveal(same(x))  # Tensor[float, requires_grad=yes, leaf=no]
