# `object.__setattr__` goes past what a class makes of assignments, but not past its properties; a class that has both
# is asked by `__setattr__` first.
import torch
import torch.nn as nn

leaf = torch.rand(2, requires_grad=True)


class Detaching:
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value.detach())

    def __delattr__(self, name):
        object.__setattr__(self, name, leaf * 3)


holder = Detaching()
holder.value = leaf * 2
reveal(holder.value)
object.__setattr__(holder, "value", leaf * 2)
reveal(holder.value)
del holder.value
reveal(holder.value)
object.__delattr__(holder, "value")
reveal(hasattr(holder, "value"))
holder.value = leaf * 2
reveal(holder.value)


class Both:
    def __setattr__(self, name, value):
        super().__setattr__(name, value * leaf)

    @property
    def value(self):
        return self.inside["value"]

    @value.setter
    def value(self, value):
        object.__setattr__(self, "inside", {"value": value})


both = Both()
both.value = torch.ones(2)
reveal(both.value)
object.__setattr__(both, "value", torch.ones(2))
reveal(both.value)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(2))
        object.__setattr__(self, "aside", nn.Parameter(torch.rand(2)))
        object.__setattr__(self, "part", nn.Linear(2, 2))

    def forward(self, x):
        return (self.part(x * self.weight) * self.aside).sum()


net = Net()
net.requires_grad_(False)
reveal(net.weight, net.aside, net.part.weight)
net.requires_grad_(True)
net(torch.ones(1, 2)).backward()
net.zero_grad()
reveal(net.weight, net.aside, net.part.weight)
net.eval()
reveal(net.training, net.part.training)
