"""Classes of which the file shows no instance: one that is handed another large one, one that hands
on what it is given, enums, what turns out partial."""

import enum
from functools import partial

import torch
from torch import nn

weight = torch.ones(2, requires_grad=True)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.first, self.second = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.third, self.fourth = nn.Linear(dim, dim), nn.Linear(dim, dim)


class Stack(nn.Module):
    def __init__(self, depth, dim):
        super().__init__()
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.ModuleList([Block(dim), Block(dim), Block(dim)]))
        self.first, self.second, self.third = Block(dim), Block(dim), Block(dim)
        self.fourth, self.fifth, self.sixth = Block(dim), Block(dim), Block(dim)
        for _ in range(depth):
            self.layers.append(Block(dim))


class Around(nn.Module):
    def __init__(self, stack: Stack, *, inner: Stack):
        super().__init__()
        self.stack, self.inner = stack, inner
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor):
        reveal(self.stack)  # Module[?, mode=?]
        reveal(x * self.scale)  # Tensor[?, requires_grad=yes, leaf=no]
        return x * self.scale


class Named(str, enum.Enum):
    FIRST = "first"

    @classmethod
    def values(cls):
        reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
        return [str(one) for one in cls]


class Sized(nn.Module):
    def __init__(self, width=None, **options):
        super().__init__()
        if width is None and not options:
            raise ValueError("no width")
        self.layer = nn.Linear(width or options["size"], 2)


class HandsOn:
    def __init__(self, *args, **options):
        self.model = Sized(*args, **options)

    def use(self, x):
        reveal(self.model)  # Module[?, mode=train]
        return self.model.layer(x)


class Switching:
    def __init__(self):
        self.model = nn.Linear(2, 2)
        self.scale = torch.ones(2, requires_grad=True)

    def validate(self, x):
        self.model.eval()
        return self.model(x)

    def freeze(self):
        self.scale.requires_grad_(False)

    def use(self, x):
        reveal(self.model)  # Module[torch.nn.Linear, mode=train|eval]
        reveal(self.scale)  # Tensor[float, requires_grad=no|yes, leaf=yes]
        return self.model(x) * self.scale


class HandedOver:
    def __init__(self, net):
        self.net = net

    def validate(self, x):
        net = self.net
        net.eval()
        return net(x)

    def use(self, x):
        reveal(self.net)  # Module[?, mode=eval|?]
        return self.net(x)


def partly(function):
    if isinstance(function, partial):
        reveal(function(weight))  # unknown
        return function(weight)
    return weight


eval("Around")(Stack(2, 2), inner=Stack(1, 2))(weight)
eval("Named.values")()
eval("partly")(partial(torch.mul, 2))
eval("HandsOn")(2).use(weight)
switching = eval("Switching")()
switching.use(weight)
switching.validate(weight)
switching.freeze()
switching.use(weight)
handed = eval("HandedOver")(nn.Linear(2, 2))
handed.validate(weight)
handed.use(weight)
