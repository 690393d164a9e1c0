"""A view of a leaf that requires grad is no leaf, and what is written to its base it shows."""

import torch

weight = torch.ones(4, requires_grad=True)
plain = torch.zeros(4)

reveal(weight.view(2, 2))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(plain.view(2, 2))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight[0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(plain[1:])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight.t())  # Tensor[float, requires_grad=yes, leaf=no]
reveal(plain.unsqueeze(0).expand(3, 4))  # Tensor[float, requires_grad=no, leaf=yes]

first = plain[0]
first.mul_(weight[0])
reveal(first)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(plain)  # Tensor[float, requires_grad=yes, leaf=no]

base = torch.zeros(4)
early = base[:2]
base.add_(weight)
reveal(base)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(early)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(base[2:])  # Tensor[float, requires_grad=yes, leaf=no]
