"""Modules under a name that their class has as well: what is registered is asked for last, so the class's is found."""

import torch
from torch import nn


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Linear(2, 2)
        self.parameters = []
        self.parameters.extend(self.block.parameters())
        reveal(self.parameters[0])  # Tensor[float, requires_grad=yes, leaf=yes]
        self.parameters = nn.ParameterList(self.parameters)

    def forward(self, x):
        return self.block(x)


blocks = Blocks()
for parameter in blocks.parameters():
    reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
torch.optim.SGD(blocks.parameters(), lr=0.1).zero_grad()


class Scaled(nn.Module):
    scale = None

    def __init__(self):
        super().__init__()
        self.scale = nn.Linear(2, 2)
        self.other = nn.Linear(2, 2)

    def other(self, x):
        return x.detach()

    def forward(self, x):
        return self.other(x), x if self.scale is None else self.scale(x)


whole = nn.Linear(2, 2)
cut, kept = Scaled()(whole(torch.ones(2)))
reveal(cut)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(kept)  # Tensor[float, requires_grad=yes, leaf=no]
