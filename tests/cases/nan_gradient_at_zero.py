"""Cases for GRD616: branches with an infinite derivative behind a condition, and inputs kept away from the edge."""

import torch
import torch.nn.functional as F
from torch import nn

EPS = 1e-6


class Variance(nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = nn.Parameter(torch.zeros(4))
        self.net = nn.Linear(4, 4)

    def deviation(self):
        positive = self.raw > 0
        return torch.where(positive, self.raw.sqrt(), 0.0)  # GRD616

    def safe(self):
        shifted = self.raw + EPS
        return torch.where(shifted > 0, shifted.sqrt(), 0.0)  # ok: shifted away from zero

    def forward(self, x):
        spread = F.softplus(self.net(x))
        return torch.where(spread > 1, spread.log(), spread)  # ok: softplus is positive


def inverse(layer: nn.Linear):
    weight = layer.weight.abs()
    scale = torch.where(weight.ne(0), weight.reciprocal(), torch.zeros_like(weight))  # GRD616
    return scale


def angle(model: nn.Linear, x):
    cosine = model(x)
    return torch.where(cosine < 1.0, torch.acos(cosine), cosine.new_zeros(1))  # GRD616


def clamped_angle(model: nn.Linear, x):
    cosine = model(x)
    inside = cosine.clamp(-1 + EPS, 1 - EPS)
    return torch.where(cosine < 1.0, inside.acos(), cosine.new_zeros(1))  # ok: clamped inside


def entropies(model: nn.Linear, batches):
    out = []
    for x in batches:
        p = torch.relu(model(x))
        out.append(torch.where(p == 0, p, torch.log2(p)))  # GRD616
    return out


def by_softmax(model: nn.Linear, x):
    p = model(x).softmax(-1)
    return torch.where(p > 0.1, p.log(), p)  # ok: softmax is positive


def by_method(model: nn.Linear, x):
    y = model(x)
    return y.log().where(y > 0, 0.0)  # GRD616


def mask(model: nn.Linear, x, keep: torch.Tensor):
    y = torch.tanh(model(x))
    return torch.where(keep, y.sqrt(), y)  # ok: the condition speaks of something else


def evaluated(model: nn.Linear, x):
    with torch.no_grad():
        y = model(x)
        return torch.where(y > 0, y.sqrt(), y)  # ok: gradients are off


def twice(model: nn.Linear, x):
    y = model(x)
    inner = torch.where(y > 0, y, torch.ones_like(y))  # ok: the safe input
    return torch.where(y > 0, inner.rsqrt(), torch.zeros_like(y))  # ok: made safe before


def huber(model: nn.Linear, x):
    error = model(x).abs()
    return torch.where(error < 1, 0.5 * error**2, error - 0.5).mean()  # ok: both branches are smooth


def distance(model: nn.Linear, x, y):
    return (model(x) - y).square().sum(-1).sqrt()  # ok: believed least


def detached(model: nn.Linear, x):
    y = model(x)
    return torch.where(y > 0, y.detach().sqrt(), y)  # ok: the branch has no gradient


def focal(model: nn.Linear, x):
    depth = model(x)
    return torch.where(depth != 0, 1.0 / depth, 0.0)  # GRD616


def shares(model: nn.Linear, x, counts: torch.Tensor):
    sums = model(x)
    means = torch.where(counts > 0, sums / counts, torch.zeros_like(sums))  # GRD616
    safe = torch.where(counts > 0, sums / counts.clamp(min=1), torch.zeros_like(sums))  # ok: divided by one at least
    halves = torch.where(sums > 0, sums / 2, sums)  # ok: divided by a number
    return means, safe, halves


def below_a_threshold(model: nn.Linear, x, scale: float):
    y = model(x)
    near = y.square() > 1e-12
    return torch.where(near, scale / y, y).mean(), torch.where(near.all(), y, y / scale)  # GRD616


def unit(model: nn.Linear, x):
    y = model(x)
    return y / (y.pow(2).sum(-1, keepdim=True).sqrt() + 1e-8)  # GRD616


def clamped_length(model: nn.Linear, x, y):
    length = torch.sqrt((model(x) - y).square().sum(dim=1))  # GRD616
    return length.clamp(min=1e-12).reciprocal()


def hyperbola(model: nn.Linear, x):
    return (model(x).square().sum(-1) + EPS).sqrt() + 1.0  # ok: shifted below the root


def above_one(model: nn.Linear, x):
    return 1 + model(x).square().sum(1).sqrt()  # ok: one is added for its own sake
