# A function that a program finds by a name it computes may be one of its own, which does what it likes.
import torch
from torch import nn


def train(net):
    net(torch.ones(2)).sum().backward()


def freeze(net):
    for parameter in net.parameters():
        parameter.requires_grad = False


class Runner:
    def clear(self, net):
        net.weight.grad = None

    def run(self, step, net):
        getattr(self, "".join(step))(net)
        reveal(net.weight)


def run(step, net):
    globals()["".join(step)](net)
    reveal(net.weight)


net = nn.Linear(2, 2)
run(["tr", "ain"], net)
Runner().run(["cl", "ear"], net)
run(["tr", "ain"], net)
run(["fre", "eze"], net)
reveal(net.weight, net.bias)
