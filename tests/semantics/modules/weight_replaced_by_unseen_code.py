"""A layer computes with what stands in the place of its parameters, whoever has put it there."""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))
x = torch.rand(3, 2)
gradients = torch.autograd.grad(net(x).square().mean(), list(net.parameters()), create_graph=True)
sum(each.square().sum() for each in gradients).backward()
before = dict(net.named_parameters())
after = {name: p - 0.1 * p.grad if p.grad is not None else p for name, p in before.items()}
out = torch.func.functional_call(net, after, (x,))
globals()["net"][0].weight = nn.Parameter(torch.rand(4, 2), requires_grad=False)
again = net(x)
