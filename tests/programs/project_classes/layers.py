import torch
from torch import nn


class Block(nn.Module):
    scale = 2

    def __init__(self, size):
        super().__init__()
        self.body = nn.Linear(size, size)

    def forward(self, x):
        return self.body(x) * self.scale

    def freeze_body(self):
        for p in self.body.parameters():
            p.requires_grad_(False)


class Frozen:
    def forward(self, x):
        return super().forward(x).detach()


class Box:
    def __init__(self, held):
        self.held = held

    @property
    def detached(self):
        return self.held.detach()

    @classmethod
    def of_ones(cls):
        return cls(torch.ones(1))
