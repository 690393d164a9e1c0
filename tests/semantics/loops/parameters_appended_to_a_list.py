# A loop puts what it goes over into a list: all of it, some of it, or none the second time.
import random

import torch
from torch import nn


def never():
    return random.random() < 0


def trained():
    made = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
    made(torch.rand(2, 2)).sum().backward()
    return made


model = trained()
gathered = []
for parameter in model.parameters():
    gathered.append(parameter)
torch.optim.SGD(gathered, lr=0.1).zero_grad()
reveal(model[0].weight, model[2].bias)

model = trained()
model[2].requires_grad_(False)
gathered, others = [], []
for _, parameter in model.named_parameters():
    if parameter.requires_grad:
        gathered.append(parameter)
    if never():
        others.append(parameter)
torch.optim.SGD(gathered + others, lr=0.1).zero_grad()
reveal(model[0].weight, model[2].bias)

model = trained()
gathered = []
for index, parameter in enumerate(model.parameters()):
    if index > 0:
        continue
    gathered.append(parameter)
torch.optim.SGD(gathered, lr=0.1).zero_grad()
reveal(model[0].weight, model[0].bias, model[2].bias)

model = trained()
gathered = [model[0].weight]
for parameter in model.parameters():
    gathered.append(parameter)
    if not never():
        gathered.pop()
torch.optim.SGD(gathered, lr=0.1).zero_grad()
reveal(model[0].weight, model[2].weight, model[2].bias)

model = trained()
first = True
gathered = []
for parameter in model.parameters():
    if first:
        gathered.append(parameter)
    first = False
torch.optim.SGD(gathered, lr=0.1).zero_grad()
reveal(model[0].weight, model[2].weight, model[2].bias)

model = trained()
gathered = []
for one, other in zip(model[0].parameters(), model[2].parameters(), strict=True):
    gathered.append(other if never() else one)
torch.optim.SGD(gathered, lr=0.1).zero_grad()
reveal(model[0].weight, model[2].weight, model[2].bias)

model = trained()
kept = [model[0].weight]
gathered = []
for parameter in filter(lambda p: never(), model.parameters()):
    kept.append(parameter)
for parameter in kept:
    gathered.append(parameter)
torch.optim.SGD(gathered, lr=0.1).zero_grad()
reveal(model[0].weight, model[2].weight, model[2].bias)

model = trained()
gathered = []
for parameter in model.parameters():
    for other in model.parameters():
        if other is parameter and never():
            gathered.append(other)
    gathered.append(parameter if never() else model[0].weight)
torch.optim.SGD(gathered, lr=0.1).zero_grad()
reveal(model[0].weight, model[2].weight, model[2].bias)

model = trained()
for parameter in model.parameters():
    last = [parameter]
torch.optim.SGD(last, lr=0.1).zero_grad()
reveal(model[0].weight, model[2].weight, model[2].bias)
