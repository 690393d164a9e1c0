"""What leaves the graph: numbers, arrays, whole numbers, copies of data."""

import math

import torch

weight = torch.tensor([1.5, 2.5], requires_grad=True)

reveal(weight.long())  # Tensor[integer, requires_grad=no, leaf=yes]
reveal((weight * 2).round().int().float())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(torch.tensor([weight[0], weight[1]]))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(torch.stack([weight[0], weight[1]]))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(torch.tensor(weight.sum().item()))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(torch.ones(2) * math.sqrt(weight[0]))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight * float(weight.sum()))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(torch.tensor(weight.tolist()))  # Tensor[?, requires_grad=no, leaf=yes]
reveal((weight > 2).float())  # Tensor[float, requires_grad=no, leaf=yes]


def whole(anything):
    reveal(anything.long())  # Tensor[integer, requires_grad=no, leaf=yes]


whole(weight.exp())
