"""Cases for GRD108: flags set on entries of state dicts, and entries that are the parameters or tensors of their own."""

import copy
from collections import OrderedDict

import torch
import torch.nn as nn
from torch import Tensor
from torch.func import functional_call


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten())
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.backbone(x))

    def freeze_backbone(self):
        for name, weight in self.state_dict().items():
            if name.startswith("backbone"):
                weight.requires_grad = False  # GRD108


class Trainer:
    def __init__(self, net: Net, frozen=("weight", "bias")):
        self.net = net
        self.frozen = frozen

    def prepare(self):
        state = self.net.head.state_dict()
        state["weight"].requires_grad_(False)  # GRD108
        for key in self.frozen:
            state[key].requires_grad = False  # GRD108
        self.net.head.load_state_dict(state)


def teacher_of(net: Net):
    teacher = copy.deepcopy(net)
    [value.requires_grad_(requires_grad=False) for value in teacher.state_dict().values()]  # GRD108
    return teacher


def unfreeze():
    net = Net().requires_grad_(False)
    for value in net.state_dict().values():
        value.requires_grad = not False  # GRD108
    return net


def kept_variables(net: Net):
    for name, weight in net.state_dict(keep_vars=True).items():
        weight.requires_grad = name.startswith("head")  # ok: these are the parameters
        weight.requires_grad_(not name.startswith("backbone"))  # ok: still the parameters
    return net


def by_name(net: Net, names: set[str]):
    for name, weight in net.named_parameters():
        if name in names:
            weight.requires_grad = name in ()  # ok: the parameters themselves
    keys = [key for key in net.state_dict() if key.endswith("bias")]
    for key in keys:
        dict(net.named_parameters())[key].requires_grad_(False)  # ok: only the names come from the state dict


def fast_weights(net: Net, x: Tensor):
    weights = OrderedDict((name, value.clone()) for name, value in net.state_dict().items())
    for name in weights:
        weights[name].requires_grad_()  # ok: copies of one's own, to differentiate by
    loss = functional_call(net, weights, (x,)).sum()
    return torch.autograd.grad(loss, list(weights.values()))


def leaves_of_their_own(net: nn.Linear):
    weight = net.state_dict()["weight"].detach().clone().requires_grad_(True)  # ok: a clone of an entry
    return weight


def from_disk(path):
    state = torch.load(path, map_location="cpu")
    for value in state.values():
        value["weight"].requires_grad_(bool(path))  # nothing says what was saved
    return state


def asked_and_taken_back():
    norm = nn.LayerNorm(4)
    state = norm.state_dict()
    scale = state["weight"].double()
    scale.requires_grad_(True)  # ok: a cast gives a tensor of its own
    scale.requires_grad_(False)
    return state


def statistics():
    norm = nn.BatchNorm1d(4)
    for statistic in norm.buffers():
        statistic.requires_grad, statistic.tag = False, "statistic"  # ok: buffers, not entries
    return norm
