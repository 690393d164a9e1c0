# What is made of a module may be one when it is asked for gradients; what is made of tensors alone is one.
import torch
from torch import nn

same = eval("lambda value, *others: value")


class Wrapper:
    def __init__(self, inner):
        self.inner = same(inner)
        self.inner.requires_grad_()


def unfrozen(net):
    wrapped = same(net, 1)
    wrapped.requires_grad_()
    return wrapped


net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
net.requires_grad_(False)
reveal(unfrozen(net), Wrapper(net).inner)
for part in [net, net[0]]:
    held = same(part)
    held.requires_grad_()
    reveal(held, part)
same([net])[0].requires_grad_()
reveal(net[0].weight)

value = torch.ones(2)
asked = same(value)
asked.requires_grad_()
reveal(asked)
(asked * 2).sum().backward()
reveal(asked)
both = same(value, net)
both.requires_grad_()
loss = both.sum()
loss.backward()
reveal(both, loss)
