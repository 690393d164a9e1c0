# A gradient less itself is zeros, and a write in place to what may be a tensor or a number may write the tensor.
import random

import torch
import torch.nn as nn

a = nn.Linear(2, 2)
g = (p.grad for p in a.parameters())
a(torch.randn(3, 2)).sum().backward()
found = [one for one in g if one is not None]
found[0] -= found[0]
b = nn.Linear(2, 2)
g = (p.grad for p in b.parameters())
b(torch.randn(3, 2)).sum().backward()
found = [one for one in g if one is not None]
found[0] %= found[0]
c = nn.Linear(2, 2)
g = (p.grad for p in c.parameters())
c(torch.randn(3, 2)).sum().backward()
found = [one for one in g if one is not None]
found[0].sub_(found[0])
d = nn.Linear(2, 2)
d(torch.randn(3, 2)).sum().backward()
d.weight.grad.sub_(d.weight.grad)
d.bias.grad -= d.bias.grad
leaf = torch.rand(2, requires_grad=True)
grown = torch.zeros(2)
number = grown if random.random() < 2 else 0
number += leaf
again = grown * 2
number.mul_(2)
twice = grown * 2
