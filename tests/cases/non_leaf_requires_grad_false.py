"""Cases for GRD113: results asked to stop requiring grad, and tensors that may be asked."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Distillation:
    def __init__(self, width=8):
        self.teacher = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 2))
        self.student = nn.Linear(width, 2)

    def loss(self, x: Tensor):
        soft = F.softmax(self.teacher(x), dim=1)
        soft.requires_grad = False  # GRD113
        return F.kl_div(F.log_softmax(self.student(x), dim=1), soft)

    @torch.no_grad()
    def targets(self, x: Tensor):
        soft = F.softmax(self.teacher(x), dim=1)
        soft.requires_grad = bool(0)  # ok: computed without gradients, so it is a leaf
        return soft


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Linear(4, 1)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, state, following):
        target = self.value(following) * self.scale
        target.requires_grad_(False)  # GRD113
        return self.value(state) - target

    def freeze(self):
        self.scale.requires_grad = False  # ok: a parameter is a leaf
        self.value.weight.t().requires_grad = False  # GRD113
        return self


def truncated(cell: nn.LSTMCell, steps: Tensor):
    weight = torch.ones(8, requires_grad=True)
    states = [step * weight for step in steps]
    for state in states:
        state.requires_grad, state.kept = False, True  # GRD113
    return cell, states


def stop_at(x: Tensor):
    weight = torch.rand(3, requires_grad=True)
    return (x * weight).sum().requires_grad_(requires_grad=False)  # GRD113


def ask_again(model: nn.Linear, x: Tensor):
    hidden = model(x)
    hidden.requires_grad_(True)  # ok: to ask it to require grad is legal
    hidden.requires_grad = True  # GRD113
    return hidden


def detached(model: nn.Linear, x: Tensor):
    hidden = model(x).detach()  # GRD401
    hidden.relu().requires_grad_(False)  # ok: a handle outside of the graph is a leaf
    index = model(x).argmax(1)  # GRD401
    index.requires_grad_(mode := False)  # ok: what cannot be differentiated is a leaf
    return hidden, index, mode


def by_mode(model: nn.Linear, x: Tensor, train: bool):
    with torch.set_grad_enabled(train):
        hidden = model(x)
    if not train:
        hidden.requires_grad = not True  # ok: whether there was a graph is not known
    return hidden


def frozen_model(x: Tensor):
    model = nn.Linear(4, 2).requires_grad_(False)
    scores = model(torch.ones(1, 4)).squeeze(0)
    scores.requires_grad = None is x  # ok: nothing in it requires grad
    return scores


def image_of(path: str, x: Tensor):
    x.requires_grad, x.path = False, path  # ok: nobody says how it was computed
    image = torch.rand(3, 8, 8) / 255
    image.requires_grad_(False), path.strip()  # ok: plain data
    return image


def view_under_no_grad():
    weight = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad():
        row = weight[0]
    row.requires_grad = weight is None  # GRD126
    return row
