"""Parameters made in a loop require grad, however many there are."""

import torch
from torch import nn

scales = [nn.Parameter(torch.zeros(2)) for _ in range(5)]
frozen = tuple(nn.Parameter(torch.zeros(2), requires_grad=False) for _ in range(5))
for scale in scales:
    reveal(scale)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(frozen[1])  # Tensor[float, requires_grad=no, leaf=yes]
