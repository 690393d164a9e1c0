"""Flags decide whether a layer writes its argument, how many results there are, and where they go."""

import random

import torch
import torch.nn.functional as F
from torch import nn

x = torch.rand(1, 1, 4, 4, requires_grad=True)
flag = random.random() < 0.5
values, places = F.max_pool2d(x, 2, return_indices=True)
pooled, where = nn.MaxPool2d(2, return_indices=True)(x)
place = F.adaptive_max_pool2d(x, 2, return_indices=True)[1]
index = nn.AdaptiveMaxPool2d(2, return_indices=True)(x)[1]
distinct, counts = torch.unique(x.detach(), return_counts=True)
runs, inverse, lengths = x.flatten().unique_consecutive(return_inverse=True, return_counts=True)
either = F.max_pool2d(x, 2, return_indices=flag)
product = x * 1
with torch.no_grad():
    rectified = F.relu(product, inplace=flag)
    layered = nn.ReLU(inplace=flag)(product)
mask = torch.empty(0)
equal = torch.eq(x, x, out=mask)
bessel = torch.special.bessel_j0(x, out=torch.empty(0))
