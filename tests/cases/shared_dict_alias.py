"""Cases for GRD311: dicts that share their tensors."""

from collections import OrderedDict
from copy import deepcopy

import torch
from torch import nn


def backup():
    weights = {"w": torch.ones(2), "b": torch.zeros(2)}
    saved = weights.copy()
    weights["w"] += 1  # GRD311
    weights["b"] = weights["b"] + 1
    return saved


def cloned():
    weights = {"w": torch.ones(2), "b": torch.zeros(2)}
    saved = {name: value.clone() for name, value in weights.items()}
    weights["w"].mul_(3)  # ok: clones
    saved["w"].zero_()  # ok: the clones themselves
    return saved


def copied_deeply():
    weights = {"w": torch.ones(2), "b": torch.zeros(2)}
    saved = deepcopy(dict(weights))
    weights["w"] -= 1  # ok: the shallow copy is gone
    return saved


class Target:
    def __init__(self):
        self.online = OrderedDict(w=torch.ones(2), b=torch.zeros(1))
        self.target = OrderedDict(self.online)

    def update(self, rate=0.1):
        for name, value in self.online.items():
            value.sub_(rate)  # GRD311


def averaged():
    totals = {"loss": torch.zeros(1), "error": torch.zeros(1)}
    last = {name: value for name, value in totals.items()}
    totals["loss"].add_(2)  # GRD311
    return last


def of_module():
    model = nn.Linear(2, 2)
    first, second = dict(model.named_buffers()), dict(model.named_parameters())
    with torch.no_grad():
        model.weight.fill_(1.0)  # ok: the state dict of a module is another rule's
    return first, second


def stepped():
    weights = {"w": torch.ones(2, requires_grad=True)}
    named = dict(weights)
    optimizer = torch.optim.SGD(weights.values(), lr=0.1)
    weights["w"].sum().backward()
    optimizer.step()  # ok: an optimizer and those who named its parameters
    return named


def lists():
    rows = [torch.ones(2), torch.zeros(2)]
    again = list(rows)
    rows[0].exp_()  # ok: lists
    return again


def emptied():
    weights = {"w": torch.ones(2)}
    saved = dict(weights)
    saved["w"] = saved["w"].detach().clone()
    weights["w"].div_(2)  # ok: the copy holds another tensor by now
    return saved


def different():
    shared = torch.ones(2)
    left, right = {"shared": shared, "own": torch.ones(1)}, {"shared": shared}
    left["shared"].neg_()  # ok: two dicts that share one tensor on purpose
    return right


def under_other_names(first, second):
    inputs = {"left": first, "right": second}
    named = OrderedDict(x=first, y=second)
    first.add_(1)  # ok: neither is a copy of the other
    return inputs, named


Target().update()
