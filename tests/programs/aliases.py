"""Two names of one tensor change together; a copy goes its own way."""

import copy

import torch

weight = torch.ones(3, requires_grad=True)
tensor = torch.zeros(3)
alias = tensor
view = tensor[:2]
copied = tensor.clone()
deep = copy.deepcopy(tensor)
listed = [tensor]
tensor.add_(weight)
reveal(alias)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(view)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(copied)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(deep)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(listed[0])  # Tensor[float, requires_grad=yes, leaf=no]

leaf = torch.zeros(3)
same = leaf
same.requires_grad_()
reveal(leaf)  # Tensor[float, requires_grad=yes, leaf=yes]
detached = leaf.detach()
detached.fill_(3.0)
reveal(detached)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(leaf)  # Tensor[float, requires_grad=yes, leaf=yes]
shallow = copy.copy({"w": leaf})
reveal(shallow["w"])  # Tensor[float, requires_grad=yes, leaf=yes]
shallow["w"].requires_grad_(False)
reveal(leaf)  # Tensor[float, requires_grad=no, leaf=yes]


def change(x):
    x.requires_grad = True
    x = x * 2
    return x


reveal(change(leaf))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(leaf)  # Tensor[float, requires_grad=yes, leaf=yes]
