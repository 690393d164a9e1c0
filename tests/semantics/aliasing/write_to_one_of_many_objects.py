# What is one of more things than are told apart may be each of them, and what is done to it is done to that.
import random

import torch


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        self.gain = torch.nn.Parameter(torch.ones(2))


first, second = Part(), Part()
for part in (first, second):
    for _name, parameter in part.named_parameters():
        parameter.requires_grad = False
reveal(first.gain, second.layer.bias)

a, b, c = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
d, e, f = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
number = random.randrange(6)
if number == 0:
    one = a
elif number == 1:
    one = b
elif number == 2:
    one = c
elif number == 3:
    one = d
elif number == 4:
    one = e
else:
    one = f
one.requires_grad = False
reveal(a, b, c, d, e, f)
d.requires_grad = True
other = one
other.requires_grad = False
reveal(d)
