# What torch refuses is no way into the handlers of other errors: the second backward is never come to.
import random

import torch

seed = random.Random(0)
leaf = torch.ones(2)
weight = torch.ones(2, requires_grad=True)
loss = (weight * weight).sum()
while seed.random() < 0.9:
    try:
        leaf.mul_(leaf)
    except (ValueError, KeyError):
        print(leaf)
    leaf.requires_grad = True
    reveal(leaf)
    loss.backward()
