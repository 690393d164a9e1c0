# A sum of what may be no elements at all may be the number it begins with.
import random

import torch
from torch import nn

first, second = torch.rand(2, requires_grad=True), torch.rand(2, requires_grad=True)
for _ in range(8):
    total = sum(one.sum() for one in (first, second) if random.random() < 0.4)
    reveal(total)
    if isinstance(total, torch.Tensor):
        total.backward()
        reveal(total, first)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        for number in range(2):
            setattr(self, f"scale{number}", nn.Parameter(torch.rand(2)))

    def forward(self, x):
        return self.inner(x) if hasattr(self, "inner") else x


# One of several modules of which a guess is among the others.
net = Net()
net(first)
for _name, parameter in net.named_parameters():
    parameter.requires_grad_(False)
for module in net.modules():
    if isinstance(module, nn.Linear):
        reveal(module.weight)
