# What unseen code gives and is differentiated may be the number that it was handed: a leaf.
import torch
from torch import nn

given = eval("lambda *values: values[0]")
net = nn.Linear(2, 1)
first = given(net.bias, net.weight)
first.backward()
reveal(first, net.bias, net.weight)


def back(scale):
    total = given(scale)
    total.backward()
    return total


number = torch.ones(1, requires_grad=True)
reveal(back(number), number)
loss = given(net(torch.ones(2)).sum(), net)
loss.backward()
reveal(loss, net.weight)
