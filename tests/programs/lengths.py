"""How many a container holds is known where all its elements are, and no longer where it may have got more."""

import random

import torch
from torch import nn

names = ["weight", "bias"]
reveal(len(names))  # 2
names.append("scale")
reveal(len(names))  # 3
reveal(len({"lr": 0.1}))  # 1
reveal(len(()))  # 0
reveal(len([*names, *names]))  # 6

chosen = [1] if random.random() < 0.5 else [1, 2]
reveal(len(chosen))  # number[integer]
for _ in range(random.randint(1, 3)):
    names.append("more")
reveal(len(names))  # number[integer]

# An iterator in a list of one is gone over once.
net = nn.Linear(2, 2)
groups = [net.parameters()]
for at in range(len(groups)):
    for parameter in groups[at]:
        reveal(parameter.requires_grad)  # True


def grown(found):
    for number in range(len(found)):
        found.append(number)
    return found


reveal(len(grown([1, 2])))  # 4
reveal(len(torch.ones(3)))  # number[integer]
