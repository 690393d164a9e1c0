# What `operator.setitem` writes is recorded, and it gives back nothing; what a function writes in place it gives back.
import operator

import torch
import torch.nn.functional as F

weight, target = torch.ones(3, requires_grad=True), torch.zeros(3)
nothing = operator.setitem(target, 0, weight[0])
reveal(target, nothing)
target.sum().backward()
reveal(weight)
product = weight * 2
same = F.relu(product, inplace=True)
same.retain_grad()
reveal(product, same)
