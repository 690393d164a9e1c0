# Handles whose count is not that of their memory share it all the same: with their views, and with what they are of.
import copy
import random

import torch
from torch import nn

w = torch.rand(2, 2, requires_grad=True)


def refused(out):
    try:
        out.sum().backward()
        print("went well")
    except RuntimeError as error:
        print(error)


x = torch.rand(2, 2)
d = x.data.detach()
out = w * d.view(2, 2)
if random.random() < 0.5:
    x.data = nn.Parameter(d, requires_grad=False).view(2, 2)
nn.Parameter(d, requires_grad=False).add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
c = copy.copy(x)
out = w * c.t()
c.detach().add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
n = torch.from_numpy(x.numpy())
out = w * n
n.view(-1).add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
out = w * x.data
x.data.add_(1)
refused(out)
out = w * n
torch.from_numpy(x.numpy()).add_(1)
refused(out)
y = torch.rand(2, 2)
v = y.view(-1)
out = w * y
y.data = torch.rand(2, 2)
v.add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
out = w * y
y.data = y.data
y.add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
given = torch.rand(2, 2)
out = w * given
y.data = given
y.add_(1)
refused(out)
reveal(w, x, d, c, n, y)
