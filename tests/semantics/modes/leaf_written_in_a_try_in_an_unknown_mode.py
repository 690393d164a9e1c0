# Where the mode is on the write refuses, so what goes on is the leaf that was written without it.
import random

import torch

with torch.autograd.set_grad_enabled(random.random() < 0.5):
    try:
        weight = torch.clip_(torch.rand(2, 2, requires_grad=True), 0, 1)
        optimizer = torch.optim.SGD([weight], lr=0.1)
    except RuntimeError as error:
        print(error)
