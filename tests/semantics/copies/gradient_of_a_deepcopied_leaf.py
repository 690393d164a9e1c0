# What was used of a gradient is used of its copy; what no step has used is not.
import copy
from collections import OrderedDict

import torch

weight = torch.rand(2, 2, requires_grad=True)
other = torch.rand(2, 2, requires_grad=True)
optimizer = torch.optim.Adam([weight])
(weight * other).sum().backward()
optimizer.step()
copied = copy.deepcopy(OrderedDict(weight=weight, other=other))
reveal(copied["weight"], copied["other"])
copied["weight"].sum().backward()
reveal(copied["weight"], weight)
