# An operator gives a number where all its operands may be numbers, though each may be a tensor as well.
import random

import torch

weight = torch.rand(2, requires_grad=True)
for _ in range(4):
    total = 0.0
    total = total + (weight.sum() if random.random() < 0.5 else total)
    reveal(total)
    halved = total / 2
    negative = -halved
    reveal(halved, negative)
    if isinstance(halved, torch.Tensor):
        reveal(halved)
        halved.backward()
        reveal(halved, weight)
    is_more = total > 1
    reveal(is_more)
    total += halved if random.random() < 0.5 else 1
    reveal(total)
    taken = abs(total)
    given = torch.as_tensor(total)
    reveal(taken, given, abs(-2.0), abs(1 + 2j))
