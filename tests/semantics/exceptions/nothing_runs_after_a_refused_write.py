"""Once torch has refused a write there is nothing more to report behind it, whatever the tensor is known by."""

import random

import torch

unpool = torch.nn.MaxUnpool1d(2)
value = unpool(torch.rand(1, 1, 1), torch.zeros(1, 1, 1, dtype=torch.int64))
while random.random() < 0.4:
    value += 1.0
    value.mul_(value)
    value.requires_grad = True
