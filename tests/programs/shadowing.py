"""A name means what its scope bound last: comprehensions and functions keep their own."""

import torch
from torch import tensor as make

weight = torch.ones(3, requires_grad=True)
x = torch.arange(3)
listed = [x * 2 for x in [weight]]
reveal(x)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(listed[0])  # Tensor[float, requires_grad=yes, leaf=no]


def local():
    x = weight
    reveal(x)  # Tensor[float, requires_grad=yes, leaf=yes]


local()
reveal(x)  # Tensor[integer, requires_grad=no, leaf=yes]


def parameter(weight):
    reveal(weight)  # Tensor[integer, requires_grad=no, leaf=yes]


parameter(x)
reveal(make([1.0]))  # Tensor[float, requires_grad=no, leaf=yes]
ones = torch.ones
reveal(ones(2, requires_grad=True))  # Tensor[float, requires_grad=yes, leaf=yes]
torch_zeros, dtype = torch.zeros, torch.int64
reveal(torch_zeros(2, dtype=dtype))  # Tensor[integer, requires_grad=no, leaf=yes]


class Scope:
    weight = x
    inner = [w.float() for w in [weight]]

    def get(self):
        return weight


reveal(Scope.weight)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(Scope.inner[0])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(Scope().get())  # Tensor[float, requires_grad=yes, leaf=yes]
