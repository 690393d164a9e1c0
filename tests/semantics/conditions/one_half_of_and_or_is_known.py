# Where one half of a condition is certain, the other cannot make it hold.
import random

import torch
import torch.nn as nn

for _ in range(2):
    if random.random() > 0.2 and torch.is_grad_enabled():
        weight = nn.Parameter(torch.randn(2, 2))
        weight.sum().backward()
        reveal(weight)
    if not (random.random() > 0.2 or not torch.is_grad_enabled()):
        weight = nn.Parameter(torch.randn(2, 2))
        weight.sum().backward()
        reveal(weight)
    both = random.random() > 0.2 and torch.is_grad_enabled()
    either = random.random() > 0.2 or torch.is_grad_enabled()
    reveal(both, either)
    torch.set_grad_enabled(False)
