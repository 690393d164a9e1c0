# A view perhaps made without gradients may show its base's flag as a leaf: no backward says that it was recorded.
import random

import torch
from torch import nn

for _ in range(6):
    layer = nn.Linear(2, 2)
    with torch.autograd.set_grad_enabled(random.random() < 0.5):
        row = layer.bias[0]
    row.sum().backward()
    reveal(row, layer.bias)
    print(row.grad)

for _ in range(6):
    base = torch.rand(3, requires_grad=random.random() < 0.5)
    if base.requires_grad:
        with torch.set_grad_enabled(random.random() < 0.5):
            whole = base.view(-1)
            part = whole[0:2]
        part.sum().backward()
        reveal(part, whole, base)
        print(part.grad)

asked = torch.rand(3)
first = asked[0:2]
asked.requires_grad_(random.random() < 2)
first.sum().backward()
reveal(first, asked)
print(first.grad)
