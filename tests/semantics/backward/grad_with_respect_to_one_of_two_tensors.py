# What autograd.grad may be asked for on one of two paths was taken for two things that it is asked for.
import random

import torch

weight, constant = torch.rand(2, requires_grad=True), torch.rand(2)
if random.random() < 0.5:
    weight = constant
try:
    found = torch.autograd.grad((weight * constant).sum(), weight, allow_unused=True)[0]
    reveal(found)
except RuntimeError as error:
    reveal(error)
