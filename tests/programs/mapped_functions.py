"""What `vmap` gives has other sizes than what the function gives, and `torch.func.grad` hands over what requires grad."""

import torch
from torch.func import grad, vmap

rows = torch.rand(3, 2)
weight = torch.rand(2, requires_grad=True)


def total(row):
    return (row * weight).sum()


def asked(row):
    reveal(row)  # Tensor[float, requires_grad=?, leaf=?]
    return row.sum()


each = vmap(total)(rows)
reveal(each)  # Tensor[float, requires_grad=yes, leaf=no]
along = vmap(lambda column: column * 2, in_dims=1)(rows)
reveal(along)  # Tensor[float, requires_grad=no, leaf=yes]
summed = vmap(torch.sum)(rows)
reveal(summed)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(total(rows[0]))  # Tensor[float, requires_grad=yes, leaf=no]
slope = grad(asked)(rows)
reveal(slope)  # Tensor[?, requires_grad=?, leaf=?]
reveal(rows)  # Tensor[float, requires_grad=no, leaf=yes]
