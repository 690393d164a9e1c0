# What is one of more things than are told apart is still one of them when its class is found out.
import random

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = nn.Linear(size, size)
        self.passing = nn.Identity() if size < 3 else nn.Linear(size, size)


class Net(nn.Module):
    def __init__(self, depth, head):
        super().__init__()
        self.blocks = nn.ModuleList(Block(2) for _ in range(depth))
        self.head = head


head = nn.Linear(2, 1)
net = Net(3, head)
for name, module in net.named_modules():
    if isinstance(module, nn.Linear) and "passing" not in name:
        module.weight.requires_grad_(False)
        reveal(module.weight)
reveal(net.head.weight, head.bias, net.blocks[0].inner.weight)

a, b, c, d, e, f, g, h = [torch.rand(2, requires_grad=True) for _ in range(8)]
number = random.randrange(1)
if number == 1:
    one = a
elif number == 2:
    one = b
elif number == 3:
    one = c
elif number == 4:
    one = d
elif number == 5:
    one = e
elif number == 6:
    one = f
elif number == 7:
    one = g
else:
    one = h
if isinstance(one, torch.Tensor):
    one.sum().backward()
    one.requires_grad_(False)
    reveal(one)
reveal(a, h)
