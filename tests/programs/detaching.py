"""`detach()` and `.data` give leaves that require no grad; `clone()` is part of the graph."""

import torch

weight = torch.ones(3, requires_grad=True)

reveal(weight.detach())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight.data)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight.clone())  # Tensor[float, requires_grad=yes, leaf=no]
reveal((weight * 2).detach())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight.clone().detach())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight.detach().clone())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight.detach().requires_grad_())  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]

copied = torch.tensor([1.0]).clone()
reveal(copied)  # Tensor[float, requires_grad=no, leaf=yes]

hidden = weight * 3
hidden.detach_()
reveal(hidden)  # Tensor[float, requires_grad=no, leaf=yes]
