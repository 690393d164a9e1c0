"""A module takes parameters and None in place of a parameter, and modules as well in place of a part."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))
        self.body = nn.Linear(2, 2)
        self.register_buffer("mean", torch.zeros(2))
        self.plain = torch.zeros(2)


class Keeping(Scaled):
    def __setattr__(self, name, value):
        if name == "scale" and "scale" in self._parameters:
            object.__setattr__(self, "kept", value)
        else:
            super().__setattr__(name, value)


def changed(change, net):
    try:
        change(net)
        went_well = True
    except TypeError:
        went_well = False
    return went_well


def result(net):
    net.scale = net.scale - 0.1


def detached(net):
    net.body = net.scale.detach()


def number(net):
    net.scale = 2.0


def by_name(net):
    setattr(net, "scale", torch.ones(2))


def part_of_part(net):
    net.body.weight = net.body.weight * 2


def module(net):
    net.scale = nn.Linear(2, 2)


def taken_away(net):
    del net.scale
    net.scale = torch.ones(2)


def parameter(net):
    net.scale = nn.Parameter(net.scale * 2)


def of_the_part(net):
    net.body = nn.Parameter(net.scale * 2)


def buffer(net):
    net.mean = net.scale * 2


def plain(net):
    net.plain = net.scale * 2


def none(net):
    net.scale = None


reveal(changed(result, Scaled()))  # False
reveal(changed(detached, Scaled()))  # False
reveal(changed(number, Scaled()))  # False
reveal(changed(by_name, Scaled()))  # False
reveal(changed(part_of_part, Scaled()))  # False
reveal(changed(module, Scaled()))  # False
# vague: what is assigned may raise an error in a way that nobody knows
reveal(changed(taken_away, Scaled()))  # True or False
reveal(changed(parameter, Scaled()))  # True or False
reveal(changed(of_the_part, Scaled()))  # True or False
reveal(changed(buffer, Scaled()))  # True or False
reveal(changed(plain, Scaled()))  # True or False
reveal(changed(none, Scaled()))  # True or False
reveal(changed(result, Keeping()))  # True or False
kept = Scaled()
changed(result, kept)
reveal(kept.scale)  # Tensor[float, requires_grad=yes, leaf=yes]
