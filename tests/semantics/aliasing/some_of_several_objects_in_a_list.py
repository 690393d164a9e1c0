# What may have been left out of a list, or is one of two, is not certainly cleared, frozen or switched.
import itertools
import random

import torch
from torch import nn


def never():
    return random.random() < 0


def trained():
    made = torch.rand(2, requires_grad=True)
    made.sum().backward()
    return made


one, other = trained(), trained()
some = [one]
if never():
    some.append(other)
torch.optim.SGD(some, lr=0.1).zero_grad()
reveal(one, other)

body = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
body(torch.rand(2, 2)).sum().backward()
torch.optim.SGD([body[0].weight, *(p for p in body.parameters() if never())], lr=0.1).zero_grad()
reveal(body[0].weight, body[0].bias)
torch.optim.SGD([p for n, p in body.named_parameters() if n == "2.bias"], lr=0.1).zero_grad()
reveal(body[2].weight, body[2].bias)
for p in itertools.chain([body[0].bias], filter(lambda p: never(), body.parameters())):
    p.requires_grad_(False)
reveal(body[0].weight, body[0].bias, body[2].weight)

left, right = trained(), trained()
without = {left, right}.difference({left})
torch.optim.SGD(without, lr=0.1).zero_grad()
reveal(left, right)
left, right = trained(), trained()
without = [left, right]
without.remove(left)
torch.optim.SGD(without, lr=0.1).zero_grad()
reveal(left, right)
left, right = trained(), trained()
without = [left, right, left][never() :: 1 + (not never())][1:]
torch.optim.SGD(without, lr=0.1).zero_grad()
reveal(left, right)

first, second = nn.Linear(2, 2), nn.Linear(2, 2)
(first(torch.rand(2)) + second(torch.rand(2))).sum().backward()
chosen = first if never() else second
for p in chosen.parameters():
    p.grad = None
reveal(first.weight, second.weight)
torch.optim.SGD(chosen.parameters(), lr=0.1).zero_grad()
for p in chosen.parameters():
    p.requires_grad_(False)
reveal(first.weight, second.weight)
whole = nn.Sequential(nn.Flatten(), chosen)
whole.requires_grad_(False)
whole.zero_grad()
reveal(first.weight, second.weight)
whole.eval()
reveal(first(torch.rand(2)), second(torch.rand(2)))

frozen = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
for n, p in frozen.named_parameters():
    if n.startswith("0"):
        p.requires_grad_(False)
optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, frozen.parameters()))
frozen[0].requires_grad_(True)
for p in frozen.parameters():
    reveal(frozen[0].bias, frozen[2].bias)
    (p * torch.rand(2, 2)).sum().backward()
    optimizer.zero_grad()
