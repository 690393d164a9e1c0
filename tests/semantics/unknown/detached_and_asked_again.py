# What unseen code had may have been detached: asked for gradients then, it is a leaf, and nothing goes back by it.
import torch
from torch import nn

cut = eval("lambda value: value.detach_()")
keep = eval("lambda value: None")
net = nn.Linear(2, 4)
loss = net(torch.ones(3, 2)).sum()
cut(loss)
loss.requires_grad_()
loss.backward()
reveal(net.weight)
other = nn.Linear(2, 4)
more = other(torch.ones(3, 2)).sum()
keep(more)
more.requires_grad_()
more.backward()
reveal(other.weight)
