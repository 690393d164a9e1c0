"""What nobody knows may be the gradient of a tensor that it is made of: who writes it may clear that."""

import random

import torch
from torch import nn

net = nn.Linear(2, 2)
gradients = (p.grad for p in net.parameters())
net(torch.rand(3, 2)).sum().backward()
found = [gradient for gradient in gradients if gradient is not None]
nn.init.zeros_(found[0])
other = nn.Linear(2, 2)
gradients = (p.grad for p in other.parameters())
other(torch.rand(3, 2)).sum().backward()
found = [gradient for gradient in gradients if gradient is not None]
found[0].mul_(0)
third = nn.Linear(2, 2)
gradients = (p.grad for p in third.parameters())
third(torch.rand(3, 2)).sum().backward()
for gradient in gradients:
    if random.random() < 0.5:
        gradient.zero_()
