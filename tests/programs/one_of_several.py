"""One of several networks and optimizers, each made on a way of its own: what is done to it is done to all there is."""

import random

import torch
from torch import nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x):
        return self.layer(x)


class Large(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x):
        return self.layers(x)


def predicted(model, x):
    model.eval()
    reveal(model.training)  # False
    return model(x).argmax(1)


def frozen(model):
    for parameter in model.parameters():
        parameter.requires_grad = False
    return model


chance = random.random()
if chance < 0.3:
    net = Small()
elif chance < 0.6:
    net = Large()
else:
    net = nn.Linear(3, 2)
predicted(net, torch.ones(4, 3))
reveal(net.training)  # False
net.train()
reveal(net.training)  # True
net.requires_grad_(False)
out = net(torch.ones(4, 3))
reveal(out.requires_grad)  # False

# In a loop, those of earlier rounds are there as well.
kept = []
for _ in range(3):
    if random.random() < 0.5:
        each = Small()
    else:
        each = Large()
    kept.append(each)
    each.eval()
    reveal(each.training)  # False
kept[0].train()
reveal(each.training)  # number[bool]

# Both are there: one of them is chosen.
one, other = Small(), Large()
chosen = one if random.random() < 0.5 else other
chosen.eval()
reveal(one.training)  # number[bool]
reveal(chosen.training)  # number[bool]


class Holder:
    def __init__(self, large):
        if large:
            self.net = Large()
        else:
            self.net = Small()

    def prepare(self):
        self.net.eval()
        reveal(self.net.training)  # False


Holder(random.random() < 0.5).prepare()
