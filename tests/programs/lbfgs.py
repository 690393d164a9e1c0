"""Closures: a step runs them with gradients on, LBFGS again and again, and gives back what they gave first."""

import torch
from torch import nn

model = nn.Linear(2, 1)
inputs = torch.ones(4, 2)
often = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=5)
calls = 0


def closure():
    global calls
    calls += 1
    often.zero_grad()
    reveal(model.weight, "grad")  # none
    loss = (model(inputs) ** 2).mean()
    loss.backward()
    reveal(model.weight, "grad")  # fresh
    return loss


with torch.no_grad():
    given = often.step(closure)
reveal(given)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(model.weight, "grad")  # used
# vague: how often LBFGS runs it is not known
reveal(calls)  # 1 or 2 or number[integer]

once = torch.optim.SGD(model.parameters(), lr=0.1)


def single():
    once.zero_grad()
    loss = (model(inputs) ** 2).mean()
    loss.backward()
    return loss


reveal(once.step(single))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(model.weight, "grad")  # used
reveal(once.step())  # None
reveal(model.weight)  # Tensor[float, requires_grad=yes, leaf=yes]


def forgets_to_clear():
    loss = (model(inputs) ** 2).mean()
    reveal(model.bias, "grad")  # used|mixed
    loss.backward()
    return loss


often.step(forgets_to_clear)
reveal(model.bias, "grad")  # mixed
