# What unseen code gives an optimizer may be what it was handed itself: a step uses that gradient, and clears it.
import torch
from torch import nn

same = eval("lambda value: value")
weight = torch.zeros(2, requires_grad=True)
beta = torch.ones(2, requires_grad=True)
other = torch.ones(2, requires_grad=True)
sgd = torch.optim.SGD([weight, same(beta)], lr=0.1)
(weight * beta * other).sum().backward()
sgd.step()
reveal(weight, beta, other)
(weight * beta * other).sum().backward()
sgd.zero_grad()
reveal(weight, beta, other)

model = nn.Linear(2, 2)
given = list(model.parameters())
given.append(same(beta))
adam = torch.optim.Adam(given)
model(torch.ones(2)).sum().backward()
adam.step()
reveal(model.weight, model.bias, beta)


def groups(first, second):
    return [{"params": [first, same(second)]}, {"params": same(second), "lr": 0.2}][:1]


one, two = torch.zeros(2, requires_grad=True), torch.ones(2, requires_grad=True)
grouped = torch.optim.SGD(groups(one, two), lr=0.1)
(one * two).sum().backward()
grouped.step()
reveal(one, two)
