# What is contiguous was not known, so that `flatten` and the like were views of a leaf or copies of it.
import random

import torch
import torch.nn as nn

first = torch.full((2, 2), 0.5, requires_grad=True)
flat = first.flatten()
reveal(first, flat)
try:
    flat.zero_()
    print("went well")
except RuntimeError:
    print("refused")

second = torch.rand(2, 2, 2, requires_grad=True)
deep = torch.atleast_3d(second.flatten())
reveal(deep)
try:
    deep.add_(deep)
    print("went well")
except RuntimeError:
    print("refused")

third = torch.rand(2, 3, requires_grad=True)
turned = third.t()
copied = turned.reshape(6)
reveal(turned, copied, turned.contiguous(), third.contiguous() is third)
copied.mul_(2.0)

layer = nn.Linear(2, 3)
spread = layer.weight.reshape(-1)
reveal(layer, spread)
try:
    spread.add_(1.0)
    print("went well")
except RuntimeError:
    print("refused")

pictures = nn.Flatten()(torch.rand(2, 2, 4, 4))
pictures.requires_grad_()
try:
    pictures.mul_(pictures)
    print("went well")
except RuntimeError:
    print("refused")

fourth = torch.rand(2, 3)
if random.random() < 0.5:
    fourth.data = torch.rand(3, 2).t()
fourth.requires_grad_()
fifth = fourth.view_as(fourth) if random.random() < 0.5 else fourth.reshape(-1)
reveal(fourth, fifth)

sixth = torch.rand(2, 3)
sixth.t_()
sixth.requires_grad_()
seventh = sixth.reshape(-1)
reveal(sixth, seventh)
seventh.add_(1.0)

stacked = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
ninth = stacked[2].weight[0].ravel()
tenth = [each.reshape(-1) for each in torch.rand(2, 2, 2, requires_grad=True)]
reveal(ninth, tenth[0], stacked[0].weight[:, 0].reshape(-1), stacked[0].weight[0, 1].reshape(-1))
try:
    ninth[0] = 1.0
    print("went well")
except RuntimeError:
    print("refused")

flattened = nn.Flatten()(torch.rand(2, 2, 4, 4))
same = nn.Flatten()(torch.rand(2, 3, requires_grad=True))
inner = nn.Flatten(1, 2)(torch.rand(2, 2, 4, 4, requires_grad=True))
outer = nn.Flatten(end_dim=1)(torch.rand(2, 2, 4, 4, requires_grad=True))
reveal(flattened, same, inner, outer, nn.Flatten(0)(torch.rand(2, 2)), nn.Flatten(0, -1)(torch.rand(())))
