# A gradient that was looked at was taken to be there, although no backward may have run.
import random

import torch

weight = torch.zeros(2, 2, requires_grad=True)
while random.random() < 0.4:
    weight.backward(torch.ones_like(weight))
if weight.grad is not None:
    reveal(weight, weight.grad)
else:
    reveal(weight)
weight.backward(torch.ones_like(weight))
reveal(weight, weight.grad)
