"""Iterators run through once give nothing more; lists, ranges and views of dictionaries begin anew."""

import itertools

import torch
from torch import nn

model = nn.Linear(2, 1)
parameters = model.parameters()
reveal(parameters, "used")  # no
optimizer = torch.optim.SGD(parameters, lr=0.1)
reveal(parameters, "used")  # yes
seen = 0
for parameter in parameters:
    seen = "never"
reveal(seen)  # 0
reveal(nn.utils.clip_grad_norm_(parameters, 1.0))  # Tensor[float, requires_grad=no, leaf=yes]
kept = list(model.parameters())
first = torch.optim.SGD(kept, lr=0.1)
second = torch.optim.SGD(kept, lr=0.1)
for parameter in kept:
    reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]

numbered = enumerate(model.named_parameters())
for index, (name, parameter) in numbered:
    reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
again = [parameter for _, (_, parameter) in numbered]
reveal(len(again))  # 0
under = model.parameters()
over = (parameter * 2 for parameter in under)
total = sum(value.sum() for value in over)
reveal(total)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(under, "used")  # yes

trained = filter(lambda parameter: parameter.requires_grad, model.parameters())
for parameter in trained:
    reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
model.bias.requires_grad = False
trained = torch.optim.SGD(filter(lambda parameter: parameter.requires_grad, model.parameters()), lr=0.1)
for group in trained.param_groups:
    for parameter in group["params"]:
        reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
model.bias.requires_grad = True

head = nn.Linear(1, 1)
both = torch.optim.SGD(itertools.chain(model.parameters(), head.parameters()), lr=0.1)
head(model(torch.ones(1, 2))).sum().backward()
both.step()
reveal(head.weight, "grad")  # used
reveal(model.weight, "grad")  # used

partly = model.parameters()
reveal(next(partly))  # Tensor[float, requires_grad=yes, leaf=yes]
# vague: how many are left is not known
reveal(partly, "used")  # no|?
for parameter in partly:
    reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(partly, "used")  # yes
table = {"weight": model.weight}
values = table.values()
for value in values:
    reveal(value)  # Tensor[float, requires_grad=yes, leaf=yes]
for value in values:
    reveal(value)  # Tensor[float, requires_grad=yes, leaf=yes]

gathered = model.parameters()
for epoch in range(2):
    reveal(gathered, "used")  # no|yes
    nn.utils.clip_grad_norm_(gathered, 1.0)
    reveal(gathered, "used")  # yes
