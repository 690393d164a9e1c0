"""Sequential and ModuleList change like lists: indexing, slicing, appending, inserting, deleting, adding."""

from collections import OrderedDict

import torch
from torch import nn

x = torch.ones(2, 2)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Dropout(0.1), nn.Linear(2, 2, bias=False))
net.eval()
reveal(net[0])  # Module[torch.nn.Linear, mode=eval]
reveal(net[-1])  # Module[torch.nn.Linear, mode=eval]
reveal(net[-1].bias)  # None
reveal(net[:2])  # Module[torch.nn.Sequential, mode=train]
reveal(net[:2](x))  # Tensor[float, requires_grad=yes, leaf=no]
for layer in net:
    reveal(layer)  # Module[?, mode=eval]
net.append(nn.Linear(2, 1))
reveal(net[-1])  # Module[torch.nn.Linear, mode=train]
net.extend([nn.ReLU(), nn.Tanh()])
reveal(net[6])  # Module[torch.nn.Tanh, mode=train]
net.insert(0, nn.Identity())
reveal(net[0])  # Module[torch.nn.Identity, mode=train]
reveal(net[1].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
del net[0]
reveal(net[0].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
net[0] = nn.Linear(2, 2, bias=False)
reveal(net[0].bias)  # None
reveal(net.pop(0))  # Module[torch.nn.Linear, mode=train]
net.add_module("last", nn.Linear(1, 1))
reveal(net.last)  # Module[torch.nn.Linear, mode=train]
for name, part in net.named_children():
    reveal(name)  # str
    reveal(part)  # Module[?, mode=train|eval]
reveal((nn.Sequential(nn.Linear(2, 2)) + nn.Sequential(nn.ReLU()))(x))  # Tensor[float, requires_grad=yes, leaf=no]

named = nn.Sequential(OrderedDict([("first", nn.Linear(2, 2)), ("act", nn.ReLU())]))
reveal(named.first)  # Module[torch.nn.Linear, mode=train]
reveal(named[0].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(named(x))  # Tensor[float, requires_grad=yes, leaf=no]

grown = nn.ModuleList()
for width in (2, 3):
    grown.append(nn.Linear(2, width))
reveal(grown[0])  # Module[torch.nn.Linear, mode=train]
grown += [nn.ReLU()]
reveal(grown)  # Module[torch.nn.ModuleList, mode=train]
reveal(grown[-1])  # Module[torch.nn.ReLU, mode=train]
grown.insert(0, nn.Tanh())
reveal(grown[0])  # Module[torch.nn.Tanh, mode=train]
reveal(grown[1:])  # Module[torch.nn.ModuleList, mode=train]
for index, part in enumerate(grown[1:3]):
    reveal(part)  # Module[torch.nn.Linear, mode=train]

layers = []
for _ in range(3):
    layers += [nn.Linear(2, 2), nn.ReLU()]
deep = nn.Sequential(*layers)
reveal(deep[0])  # Module[?, mode=train]
reveal(deep(x))  # Tensor[float, requires_grad=yes, leaf=no]
frozen = nn.Sequential(*[nn.Linear(2, 2).requires_grad_(False) for _ in range(3)])
reveal(frozen(x))  # Tensor[float, requires_grad=no, leaf=yes]
