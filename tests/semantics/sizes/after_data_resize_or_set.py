# How many elements a tensor has is that of the memory which it was given last.
import torch
from torch import nn

weight = nn.Parameter(torch.ones(2))
weight.data = torch.ones(1)
weight.backward()
resized = torch.ones(2)
resized.resize_(1)
resized.requires_grad_().backward()
other = torch.ones(2, requires_grad=True)
with torch.no_grad():
    other.set_(torch.ones(1))
other.backward()
reveal(weight, resized, other)
