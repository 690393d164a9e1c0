# An optimizer that is given one tensor or another uses the gradient of one of them.
import random

import torch

first = torch.rand(2, 2, requires_grad=True)
second = torch.rand(2, 2, requires_grad=True)
third = torch.rand(2, 2, 2, requires_grad=True)
(first * second * third).sum().backward()
optimizer = torch.optim.SGD([third, random.choice((first, second))], lr=0.1)
optimizer.step()
reveal(first, second, third)
optimizer.zero_grad()
reveal(first, second, third)
with torch.no_grad():
    flat = second.flatten()
    other = torch.optim.SGD([first], lr=0.1)
    other.add_param_group({"params": [flat]})
    other.step()
    reveal(first, second)
