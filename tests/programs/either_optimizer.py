"""One of several optimizers over the same parameters: whichever it is, it clears them and steps them."""

import random

import torch
from torch import nn

model, head = nn.Linear(3, 2), nn.Linear(2, 1)
inputs = torch.randn(4, 3)

if random.random() < 0.5:
    optimizer = torch.optim.Adam(model.parameters())
else:
    optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)

head(model(inputs)).mean().backward()
optimizer.zero_grad()
reveal(model.weight, "grad")  # lost
reveal(head.weight, "grad")  # fresh|lost
head(model(inputs)).mean().backward()
optimizer.step()
reveal(model.weight, "grad")  # used
reveal(head.weight, "grad")  # fresh|used

scaler = torch.amp.GradScaler("cpu")
optimizer.zero_grad()
scaler.scale(model(inputs).mean()).backward()
scaler.unscale_(optimizer)
reveal(model.weight, "unit")  # plain
scaler.step(optimizer)
reveal(model.weight, "grad")  # used
scaler.update()
