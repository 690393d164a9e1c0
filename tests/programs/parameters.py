"""A Parameter is a leaf that requires grad unless told otherwise; a module's are reached by name and in order."""

import torch
from torch import nn

scale = nn.Parameter(torch.ones(3))
reveal(scale)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(nn.Parameter(torch.ones(3), requires_grad=False))  # Tensor[float, requires_grad=no, leaf=yes]
with torch.no_grad():
    reveal(nn.Parameter(torch.zeros(2)))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(nn.Parameter(scale.detach() * 2))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(scale * 2)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(scale.data)  # Tensor[float, requires_grad=no, leaf=yes]

layer = nn.Linear(3, 2)
reveal(layer.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(layer.bias)  # Tensor[float, requires_grad=yes, leaf=yes]
for parameter in layer.parameters():
    reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
for name, parameter in layer.named_parameters():
    parameter.requires_grad = name == "bias"
    # vague: `name` may be any of the names
    reveal(parameter)  # Tensor[float, requires_grad=no|yes, leaf=yes]
layer.weight.requires_grad_(False)
reveal(layer.weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(next(nn.Linear(1, 1).parameters()))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(list(layer.parameters())[0])  # Tensor[float, requires_grad=no, leaf=yes]
