# Unseen code that was handed a network, its parameters or a leaf has most likely left their flags alone.
import torch
from torch import nn

show = eval("lambda *things: [str(thing) for thing in things]")
kept = []
keep = eval("lambda thing: kept.append(thing)", {"kept": kept})
net = nn.Linear(2, 2)
show(net)
reveal(net.weight, net(torch.ones(2)))
keep(net.weight)
net.bias.requires_grad_(False)
show(net, kept)
reveal(net.weight, net.bias)
leaf = torch.ones(2, requires_grad=True)
keep(leaf)
reveal(leaf, leaf * 2)
if leaf.requires_grad:
    reveal(leaf.detach())
else:
    reveal(torch.ones(1))


class Holder:
    def __init__(self, thing):
        self.thing = thing
        keep(self)


holder = Holder(torch.zeros(3))
reveal(holder.thing)
holder.thing.requires_grad_()
keep(holder)
reveal(holder.thing, holder.thing.exp())

cost = sum(value.detach().sum() for value in (torch.ones(2), torch.ones(3)))
show(cost)
if cost.requires_grad:
    cost.backward()
reveal(cost)
for _ in range(2):
    net(torch.ones(2)).sum().backward()
    show(net, leaf)
    if leaf.grad is None:
        reveal(net.weight, leaf)
    (leaf * 2).sum().backward()
    keep(leaf)
    reveal(leaf, net.weight)
    net.zero_grad()
    show(net)
    reveal(net.weight)
    leaf.grad = None
