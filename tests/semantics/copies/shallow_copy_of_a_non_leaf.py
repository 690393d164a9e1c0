# `copy.copy` of what an operation recorded gives a leaf on the same memory.
import copy

import torch
from torch import nn

weight = torch.rand(2, 2, requires_grad=True)
product = weight * 2
product.retain_grad()
product.sum().backward()
twin, other, third = copy.copy(weight), copy.copy(product), copy.copy(nn.Parameter(torch.rand(2)))
reveal(weight, twin, product, other, third)
other.sum().backward()
reveal(weight, other)
