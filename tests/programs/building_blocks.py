"""Blocks as libraries write them: classes handed over, parts left out, subclasses of layers and of Sequential."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

x = torch.ones(2, 4)


class Block(nn.Module):
    def __init__(self, dim, norm_layer=nn.LayerNorm, act_layer=nn.GELU, drop=0.0, shortcut=None):
        super().__init__()
        self.norm = norm_layer(dim)
        self.fc = nn.Linear(dim, dim)
        self.act = act_layer()
        self.drop = nn.Dropout(drop) if drop > 0.0 else nn.Identity()
        self.shortcut = shortcut

    def forward(self, x):
        y = self.drop(self.act(self.fc(self.norm(x))))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return x + y


b = Block(4)
reveal(b.norm)  # Module[torch.nn.LayerNorm, mode=train]
reveal(b.norm.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(b.act)  # Module[torch.nn.GELU, mode=train]
reveal(b.drop)  # Module[torch.nn.Identity, mode=train]
reveal(b(x))  # Tensor[float, requires_grad=yes, leaf=no]
b2 = Block(4, norm_layer=partial(nn.LayerNorm, eps=1e-6), drop=0.1, shortcut=nn.Linear(4, 4))
reveal(b2.norm)  # Module[torch.nn.LayerNorm, mode=train]
reveal(b2.norm.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(b2(x))  # Tensor[float, requires_grad=yes, leaf=no]


class Body(nn.Sequential):
    def __init__(self, dim):
        super().__init__(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))


body = Body(4)
reveal(body)  # Module[?, mode=train]
reveal(body(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(body[0])  # Module[torch.nn.Linear, mode=train]
reveal(body[0].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
for layer in body:
    reveal(layer)  # Module[?, mode=train]


class ConvBN(nn.Sequential):
    def __init__(self, a, b):
        layers = [nn.Conv1d(a, b, 1), nn.BatchNorm1d(b)]
        layers.append(nn.ReLU())
        super().__init__(*layers)


c = ConvBN(2, 2)
reveal(c(torch.ones(1, 2, 3)))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(c[1].running_mean)  # Tensor[float, requires_grad=no, leaf=yes]


class MyLinear(nn.Linear):
    def forward(self, input):
        return F.linear(input, self.weight * 2, self.bias)


m = MyLinear(4, 4)
reveal(m.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(m(x))  # Tensor[float, requires_grad=yes, leaf=no]


class Scaled(nn.Linear):
    def __init__(self, d):
        super().__init__(d, d, bias=False)
        self.gain = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return super().forward(x) * self.gain


s = Scaled(4)
reveal(s.bias)  # None
reveal(s.gain)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(s(x))  # Tensor[float, requires_grad=yes, leaf=no]


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(x, **kwargs) + x


r = Residual(nn.Linear(4, 4))
reveal(r(x))  # Tensor[float, requires_grad=yes, leaf=no]
layers = []
for width in [4, 4, 4]:
    layers += [nn.Linear(width, width), nn.ReLU()]
deep = nn.Sequential(*layers)
reveal(deep)  # Module[torch.nn.Sequential, mode=train]
reveal(deep(x))  # Tensor[float, requires_grad=yes, leaf=no]
