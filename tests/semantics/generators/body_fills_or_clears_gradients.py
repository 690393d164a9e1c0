# A generator that cleared gradients, or one in whose body something might be raised, left nothing known of parameters.
import random

import torch
import torch.nn as nn


def batches(optimizer, count):
    for _ in range(count):
        optimizer.zero_grad()
        yield torch.randn(3, 2)


model = nn.Linear(2, 2)
optimizer = torch.optim.Adamax(model.parameters())
for batch in batches(optimizer, 3):
    torch.sum(model(batch) * 0.5).backward()
    optimizer.step()
reveal(model, model.weight, model.bias)
try:
    model.bias[0] = model.bias[0]
    print("went well")
except RuntimeError:
    print("refused")


def squares(values):
    for value in values:
        with torch.enable_grad():
            yield value.square()


other = nn.Linear(2, 2)
row = other.weight[0]
try:
    if random.random() < 0.2:
        for square in squares([other.weight, other.bias]):
            print(square)
    if random.random() > 0.5:
        raise ValueError("stop")
except (ValueError, KeyError):
    reveal(other.weight, other.bias, row)
    try:
        row.add_(1.0)
        print("went well")
    except RuntimeError:
        print("refused")


def switching(values):
    for value in values:
        value.requires_grad_(False)
        yield value.sum()
        value.requires_grad_()


weight = torch.rand(2, 2, requires_grad=True)
for total in switching([weight]):
    reveal(weight, total)
reveal(weight)
started = switching([weight])
next(started)
reveal(weight)


def filling(values):
    for value in values:
        (value * value).sum().backward()
        yield value.grad


running = filling([weight.detach().requires_grad_(), weight.clone().detach().requires_grad_()])
kept = torch.rand(2, 2, requires_grad=True)
own = filling([kept, kept])
reveal(next(running), kept)
reveal(next(own), kept)
kept.grad = None
reveal(next(own), kept)


def flags(module):
    for part in module.parameters():
        part.requires_grad_(random.random() < 0.5)
        yield part


third = nn.Linear(2, 2)
for part in flags(third):
    reveal(part)
reveal(third.weight)
