import torch
from torch import nn

rate = 0.1
steps = 0
limit = None
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=rate)
registry = {"ones": torch.ones(1)}


def register(name, value):
    registry[name] = value


def freeze():
    for p in model.parameters():
        p.requires_grad_(False)


def thaw():
    for p in model.parameters():
        p.requires_grad_(True)


def count():
    global steps
    steps = 1
