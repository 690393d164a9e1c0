# What is `.data` or the tensor itself counts alone by chance.
import random

import torch

w = torch.rand(2, 2, requires_grad=True)
x = torch.rand(2, 2)
out = w * x
one = x.data if random.random() < 2 else x
one.detach().add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
