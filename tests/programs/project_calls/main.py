"""Calls across files: callbacks, decorators, context managers, closures, generators."""

import torch
from helpers import adding, applied, frozen, pairs, scaled, without_grad

weight = torch.ones(2, requires_grad=True)


def loss(x):
    reveal(x)  # Tensor[float, requires_grad=no, leaf=yes]
    return (x * weight).sum()


reveal(applied(loss, torch.ones(2)))  # Tensor[float, requires_grad=yes, leaf=no]


@without_grad
def measured(x):
    return x * weight


reveal(measured(torch.ones(2)))  # Tensor[float, requires_grad=no, leaf=yes]

with frozen(weight) as held:
    reveal(weight)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(held * 2)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]


@scaled(3)
def tripled(x):
    reveal(x)  # Tensor[float, requires_grad=yes, leaf=no]
    return x


reveal(tripled(weight))  # Tensor[float, requires_grad=yes, leaf=no]
add = adding(weight)
reveal(add(torch.zeros(2)))  # Tensor[float, requires_grad=yes, leaf=no]
for index, pair in pairs([weight.detach()]):
    reveal(pair)  # Tensor[float, requires_grad=no, leaf=yes]
