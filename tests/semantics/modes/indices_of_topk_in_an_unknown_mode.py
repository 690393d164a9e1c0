# Indices require no grad whatever the mode is, also where a backward through the values shows that it was on.
import random

import torch

with torch.set_grad_enabled(random.random() < 0.5):
    values, indices = torch.rand(2, 2, requires_grad=True).topk(1)
    try:
        values.sum().backward()
        reveal(values, indices)
    except RuntimeError as error:
        print(error)
