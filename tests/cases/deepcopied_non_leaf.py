"""Cases for GRD125: deep copies of what hangs on a graph, and of what does not."""

import copy
from copy import deepcopy
from dataclasses import dataclass

import pytest
import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model: nn.Module):
        self.model = model
        self.weight = torch.zeros(3, requires_grad=True)
        self.best = None

    def step(self, batch):
        loss = (self.weight * batch).sum()
        self.best = copy.deepcopy({"loss": loss, "weight": self.weight})  # GRD125
        loss.backward()

    def keep(self):
        self.best = copy.deepcopy({"model": self.model.state_dict(), "weight": self.weight})  # ok: leaves are copied

    def target(self):
        return copy.deepcopy(self.model)  # ok: a module as it is made holds leaves only


@dataclass
class Record:
    score: torch.Tensor
    step: int


def records(weights: torch.Tensor, steps=3):
    start = torch.ones(3, requires_grad=True)
    out = []
    for step in range(steps):
        out.append(deepcopy(Record(start.norm(), step)))  # GRD125
        out.append(deepcopy(Record(start.norm().detach(), step)))  # ok: detached
        out.append(deepcopy(weights * 2))  # ok: nobody knows whether the weights require grad
    return out


def inner_loop(net: nn.Linear, inputs):
    fast = [p - 0.1 * torch.ones_like(p) for p in net.parameters()]
    saved = deepcopy(fast)  # GRD125
    with torch.no_grad():
        moved = net(inputs)
        kept = deepcopy([moved, net.weight])  # ok: recorded nothing, so a leaf
    return saved, kept


def masks():
    scores = nn.Parameter(torch.randn(4))
    mask = deepcopy(scores > 0)  # ok: a comparison is in no graph
    return deepcopy((mask, scores))


def both(flag: bool):
    base = torch.ones(2, requires_grad=True)
    chosen = base if flag else base * 2
    return deepcopy(chosen)  # ok: a leaf on one of the paths


class Frozen:
    """Copies itself without what hangs on the graph."""

    def __init__(self, base):
        self.value = base * 2

    def __deepcopy__(self, memo):
        return Frozen(torch.ones(2))


def own_way():
    return copy.deepcopy(Frozen(torch.ones(2, requires_grad=True)))  # ok: its class says how it is copied


def normalised():
    layer = torch.nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
    return copy.deepcopy(layer)  # ok: the weight is computed for whoever looks


def test_refusal():
    with pytest.raises(RuntimeError):
        deepcopy(torch.ones(1, requires_grad=True).exp())  # ok: the error is what is tested


class Hooked(nn.Module):
    def __init__(self, net: nn.Sequential):
        super().__init__()
        self.net, self.hidden = net, {}
        net[0].register_forward_hook(self.keep)

    def keep(self, module, inputs, output):
        self.hidden[output.device] = output.flatten(1)

    def teacher(self, images: torch.Tensor):
        self.net(images)
        self.hidden.clear()
        return deepcopy((self, images))  # ok: what the hook kept is gone


def in_double_precision(noise: float):
    weight = nn.SELU()(torch.rand(2, 2) * noise)
    weight.requires_grad_()
    same = deepcopy(weight.exp().float())  # GRD125
    return same, deepcopy(weight.float()), deepcopy(weight.double())  # GRD125


def kept_for_later(model: nn.Module):
    best = dict(deepcopy(model.named_parameters()))  # GRD125
    same = [deepcopy([*model.named_parameters()]), deepcopy(iter([model]))]  # ok: a list, an iterator over one
    return best, same
