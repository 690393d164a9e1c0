"""A generator waits where a mode is set by chance, or gradients are on; who asks changes what it reads."""

import random

import torch
from torch import nn

w = torch.rand(2, requires_grad=True)
x = torch.rand(2)
net = nn.Linear(2, 2)


def by_chance(values):
    for value in values:
        with torch.set_grad_enabled(random.random() < 0.5):
            yield value * 2


for value in by_chance([w, x]):
    product = w * 3
    print(value.sum())


def switched_on(values):
    for value in values:
        with torch.enable_grad():
            yield value * 2


with torch.no_grad():
    for value in switched_on([w, w]):
        product = w * 3
        print(value.sum())
    product = w * 4


def looked_at(values):
    for value in values:
        doubled = value * 2
        yield value
        doubled = value * 3
        print(doubled.sum())


for value in looked_at([w, w]):
    if value.requires_grad:
        value.sum().backward()
    w.requires_grad_(False)
    w.requires_grad_(random.random() < 0.5)
for _ in looked_at(list(net.parameters())):
    net.requires_grad_(False)


def clearing(module):
    yield module
    module.weight.grad.data.zero_()
    yield module


layer = nn.Linear(2, 2)
layer(torch.rand(3, 2)).sum().backward()
for _ in clearing(layer):
    print(layer.weight)
print(layer.weight)
