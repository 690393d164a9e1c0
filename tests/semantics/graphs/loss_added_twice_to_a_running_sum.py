# What is added without a graph keeps none, and was blamed for the one that the line beside it adds.
import torch
from torch import nn


class Meter:
    def __init__(self):
        self.sum = 0.0

    def update(self, value):
        self.sum += value
        self.sum += value


model, meter = nn.Linear(4, 1), Meter()
for _ in range(4):
    loss = model(torch.ones(2, 4)).pow(2).mean()
    loss.backward()
    meter.update(loss)
