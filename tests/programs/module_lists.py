"""ModuleList, ModuleDict and ParameterList register what they hold; loops in `forward` run through them."""

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.heads = nn.ModuleDict({"a": nn.Linear(3, 1), "b": nn.Linear(3, 2)})
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(3))])

    def forward(self, x, head="a"):
        for layer in self.layers:
            x = layer(x).relu()
        return self.heads[head](x * self.scales[0])


stack = Stack()
images = torch.rand(2, 3)
reveal(stack(images))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(stack.layers[0].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(stack.heads["b"].bias)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(stack.scales[0])  # Tensor[float, requires_grad=yes, leaf=yes]
stack.layers.requires_grad_(False)
reveal(stack.layers[1].weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(stack.heads["a"].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
for layer in stack.layers:
    reveal(layer(images))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(stack(images))  # Tensor[float, requires_grad=yes, leaf=no]
with torch.no_grad():
    reveal(stack(images, head="b"))  # Tensor[float, requires_grad=no, leaf=yes]
