# What a write may have made a result, and is asked to require grad then, may be a leaf all the same.
import random

import torch

v1 = torch.rand(2, 2).index_put_((torch.ones(2, dtype=torch.long),), torch.rand(2, 2))
v1.requires_grad_()
reveal(v1)
v1.sum().backward()
reveal(v1)
v2 = torch.rand(2, 2).index_put_((torch.ones(2, dtype=torch.long),), torch.rand(2))
v2.requires_grad_()
v2.sum().backward()
reveal(v2)
w = torch.rand(2, 2, requires_grad=True)


def unknown():
    return [w, torch.rand(2, 2)][int(random.random() * 2)]


for _ in range(4):
    v3 = torch.rand(2, 2)
    v3.add_(unknown())
    if v3.is_leaf:
        v3.requires_grad_()
    v3.sum().backward()
    reveal(v3, w)
v4 = torch.rand(2, 2)
with torch.set_grad_enabled(random.random() < 0.5):
    v4.mul_(unknown())
v5 = v4.detach() if v4.requires_grad else v4
v5.requires_grad_()
v5.sum().backward()
reveal(v4, v5)
