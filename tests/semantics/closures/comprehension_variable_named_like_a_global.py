# The variable of a comprehension is its own, whatever the function declares of a name like it.
import random

import torch
from torch import nn

v = torch.randn(2, 2, requires_grad=True)


def train():
    global model, some, p
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
    some = [v]
    some += [p for n, p in model.named_parameters() if n.startswith("2")]
    optimizer = torch.optim.SGD([p for p in some if random.random() < 0.2] or model.parameters(), lr=0.1)
    model(torch.randn(3, 2)).square().sum().sqrt().backward()
    optimizer.zero_grad()


for _ in range(6):
    train()
    reveal(some[1])
