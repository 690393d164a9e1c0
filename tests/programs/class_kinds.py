"""Diamonds, dataclasses, callable and indexable objects, class decorators and enter methods."""

from dataclasses import dataclass, field

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


class Base:
    def get(self):
        return plain


class Left(Base):
    def get(self):
        return super().get()


class Right(Base):
    def get(self):
        return weight


class Both(Left, Right):
    pass


reveal(Both().get())  # Tensor[float, requires_grad=yes, leaf=yes]


@dataclass
class Batch:
    images: torch.Tensor
    labels: torch.Tensor = None


@dataclass
class Weighted(Batch):
    weights: torch.Tensor = None
    extra: list = field(default_factory=list)

    def __post_init__(self):
        self.scaled = self.images * 2


batch = Batch(weight, labels=torch.arange(3))
reveal(batch.images)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(batch.labels)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(Batch(plain).labels)  # None
weighted = Weighted(weight, torch.arange(3), plain)
reveal(weighted.images)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(weighted.labels)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(weighted.weights)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weighted.scaled)  # Tensor[float, requires_grad=yes, leaf=no]


class Scaler:
    def __init__(self):
        self.last = plain

    def __call__(self, x):
        return x * weight

    def __getitem__(self, index):
        return weight[index]

    def __setitem__(self, index, value):
        self.last = value

    def __add__(self, other):
        return other.detach()

    def __enter__(self):
        self.last = weight.long()
        return self.last

    def __exit__(self, *error):
        self.last = plain


scaler = Scaler()
reveal(scaler(plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(scaler[0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(scaler.last)  # Tensor[float, requires_grad=no, leaf=yes]
scaler[0] = weight
reveal(scaler.last)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(scaler + weight)  # Tensor[float, requires_grad=no, leaf=yes]
with scaler as inside:
    reveal(inside)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(scaler.last)  # Tensor[float, requires_grad=no, leaf=yes]
