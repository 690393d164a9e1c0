"""Cases for GRD205: gradients retained where there is no graph, and where there is one."""

import torch
import torch.nn as nn
from torch import Tensor


def occlusion_map():
    image = torch.rand(1, 3, 8, 8)
    image.retain_grad()  # GRD205
    return image


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 1)

    def forward(self, state):
        hidden = torch.relu(self.body(state)).detach()
        hidden.sum(dim=0).retain_grad()  # GRD205
        return self.head(hidden)

    def inspect(self, state):
        hidden = self.body(state)
        assert hidden.retain_grad() is None  # ok: computed from parameters
        return hidden


@torch.no_grad()
def embed(layer: nn.Linear, batch: Tensor):
    features = layer(batch)
    Tensor.retain_grad(features)  # GRD205
    return features


def frozen_features():
    backbone = nn.Linear(4, 2).requires_grad_(False)
    pair = [backbone(torch.ones(1, 4)), None]
    pair[0].retain_grad()  # GRD205
    return pair


def class_scores(logits: Tensor):
    best = (logits.argmax(dim=1) == 1).float()
    best[:, None].retain_grad()  # GRD205
    return best


def first_sample(loader, layer: nn.Linear):
    for batch in [torch.ones(2, 4), torch.zeros(2, 4)]:
        out = layer(batch)
        with torch.enable_grad():
            (out * 2).retain_grad()  # ok: recorded
        return out


def leaf():
    weight = torch.ones(3, requires_grad=True)
    weight.view(1, 3).retain_grad()  # ok: a view of what requires grad
    return weight


def asked_later(x: Tensor):
    noise = torch.zeros(2)
    noise.requires_grad_()
    noise.retain_grad(), noise.sum()  # GRD207
    x.clone().retain_grad()  # ok: nobody knows whether the argument requires grad
    return noise


def guarded(x: Tensor, train=False):
    h = x.tanh()
    if h.requires_grad:
        [h][0].retain_grad()  # ok: guarded
    g = torch.ones(2)
    if train:
        g = torch.ones(2, requires_grad=True)
    if g.requires_grad:
        g.mul(2).retain_grad()  # ok: the guard excludes the other path
    return h, g


def retained_under_no_grad(layer: nn.Linear):
    out = layer(torch.ones(1, 4))
    with torch.no_grad():
        out.retain_grad() or print("kept")  # ok: the mode does not matter here, only the tensor's flag
    return out
