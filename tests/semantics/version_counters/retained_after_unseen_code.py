# What unseen code may have written no finding takes for written; what is shown to be written may raise.
import random

import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.body, self.head = nn.Linear(2, 2), nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.head.parameters(), lr=0.1)
        self.track = eval("lambda *values: values")

    def step(self, x):
        features = self.body(x).detach()
        loss = self.head(features).mean()
        self.track(features, loss)
        self.optimizer.zero_grad()
        loss.backward(retain_graph=True)
        self.optimizer.step()


def observed(values):
    eval("print")(values)
    return values


trainer = Trainer()
for _ in range(2):
    trainer.step(torch.ones(1, 2))
layer = nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(2):
    x = observed(torch.ones(1, 2))
    loss = layer(x).sum()
    observed(x)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    reveal(loss, layer.weight)
    optimizer.step()
for _ in range(2):
    x = torch.ones(1, 2)
    loss = layer(x).sum()
    if random.random() < 0.5:
        x.add_(1)
    try:
        loss.backward(retain_graph=True)
    except RuntimeError:
        reveal(x)
    reveal(loss)
