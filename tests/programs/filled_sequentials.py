"""A Sequential of parts of many kinds, some of which a loop added: as many as nobody counts, in an order that is not
known, each behind each other. What comes out is computed from them, however many things it may be."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, width)

    def forward(self, x):
        return x + self.body(x)


class Up(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, width)

    def forward(self, x):
        return self.body(x)


class Generator(nn.Module):
    def __init__(self, blocks=6):
        super().__init__()
        layers = [nn.Linear(8, 8)]
        for _ in range(blocks):
            layers += [Block(8)]
        layers += [Up(8), Up(8), nn.LayerNorm(8), nn.ReLU(inplace=True), Block(8)]
        self.model = nn.Sequential(*layers)

    def forward(self, x):
        return self.model(x)


x = torch.rand(2, 8)
generator = Generator()
reveal(generator(x))  # Tensor[?, requires_grad=yes, leaf=no]
with torch.no_grad():
    reveal(generator(x))  # Tensor[float|?, requires_grad=no, leaf=yes]
generator.requires_grad_(False)
reveal(generator(x))  # Tensor[float|?, requires_grad=no|yes, leaf=no|yes]
