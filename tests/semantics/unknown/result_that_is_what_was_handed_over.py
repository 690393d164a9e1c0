# What unseen code gives may be what it was handed, as a part of a module or by a name: what is asked of it shows there.
import torch
from torch import nn

same = eval("lambda one: one")
frozen = eval("lambda one: one.requires_grad_(False)")
net = nn.Linear(2, 2)
weight = net.weight
net.weight = frozen(net.weight)
weight.requires_grad = True
net.weight = frozen(net.weight)
reveal(weight)

other = nn.Linear(2, 2)
its = other.weight
other.weight = same(other.weight)
its.requires_grad = True
other.weight.requires_grad = False
reveal(its)

plain = torch.rand(2)
given = same(plain)
plain.requires_grad = True
given.requires_grad = False
reveal(plain)

apart = torch.rand(2)
kept = same(torch.rand(2))
apart.requires_grad = True
kept.requires_grad = False
reveal(apart)
