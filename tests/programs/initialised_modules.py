"""A module is ready for its parts once `Module.__init__` has run, by whatever name it was reached."""

from dataclasses import dataclass

import torch
from torch import nn


class WrittenOut(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)


class Wider(WrittenOut, nn.Linear):
    def __init__(self):
        nn.Linear.__init__(self, 2, 2)
        self.layer = nn.Identity()


@dataclass(eq=False)
class Described(nn.Module):
    width: int
    scale: float = 2.0

    def __post_init__(self):
        super().__init__()
        self.layer = nn.Linear(self.width, 2)

    def forward(self, x):
        return self.layer(x) * self.scale


x = torch.ones(1, 2)
plain = WrittenOut()
reveal(plain(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(len(list(plain.parameters())) == 2)  # True
reveal(Wider().weight)  # Tensor[float, requires_grad=yes, leaf=yes]
described = Described(2)
reveal(described(x))  # Tensor[float, requires_grad=yes, leaf=no]
for parameter in described.parameters():
    reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
