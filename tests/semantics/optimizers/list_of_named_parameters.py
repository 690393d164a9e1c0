# An optimizer takes pairs of names and tensors from a list as it takes them from a module.
import torch
from torch import nn

w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
optimizer = torch.optim.Adagrad([("w", w), ("v", v)])
for group in optimizer.param_groups:
    for parameter in group["params"]:
        reveal(parameter)
        parameter.grad = torch.ones_like(parameter)
optimizer.step()
reveal(w, v)
layer = nn.Linear(2, 2)
optimizer = torch.optim.SGD(list(layer.named_parameters()), lr=0.1)
layer(torch.ones(1, 2)).sum().backward()
optimizer.step()
reveal(layer.weight)
