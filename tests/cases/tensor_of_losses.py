"""Cases for GRD603: tensors made of the values of others, and tensors made of plain numbers."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Ensemble(nn.Module):
    def __init__(self):
        super().__init__()
        self.members = nn.ModuleList([nn.Linear(4, 1) for _ in range(3)])

    def losses(self, x, y):
        return [F.mse_loss(member(x), y) for member in self.members]


class Trainer:
    def __init__(self):
        self.net = Ensemble()
        self.log = []

    def step(self, x, y):
        losses = self.net.losses(x, y)
        loss = torch.tensor(losses).mean()  # GRD603
        loss.backward()

    def right_step(self, x, y):
        loss = torch.stack(self.net.losses(x, y)).mean()
        loss.backward()  # ok: stacked
        self.log.append(loss.item())
        return torch.tensor(self.log).mean()  # ok: numbers that were logged


def typed(model: nn.Linear, batches):
    parts = []
    for batch in batches:
        parts.append(model(batch).mean())  # GRD502
    total = sum(torch.FloatTensor(parts))  # GRD603
    return torch.autograd.grad(total, model.weight)


def asked(model: nn.Linear, x):
    first, second = model(x).sum(), model(-x).abs().sum()
    return torch.tensor([first, second], requires_grad=True)  # GRD603


def again(model: nn.Linear, x):
    loss = F.softplus(model(x)).sum()  # GRD401
    copy = torch.tensor([float(loss)], requires_grad=True)  # ok: a number, not a tensor
    return copy


def as_one(model: nn.Linear, x):
    rows = [model(row) for row in x]
    torch.as_tensor(rows, dtype=torch.float32).sum().backward()  # GRD603


def evaluate(model: nn.Linear, batches):
    with torch.no_grad():
        scores = [model(batch).mean() for batch in batches]
        return torch.tensor(scores).std()  # ok: gradients are off


def metrics(model: nn.Linear, x, y):
    values = {"loss": F.l1_loss(model(x), y).item(), "size": model.weight.norm().item()}  # GRD401
    return torch.tensor(list(values.values()), dtype=torch.float64)  # ok: numbers


def weights(count):
    return torch.full((count,), 1 / count)  # ok: nothing that requires grad goes in


def shared(model: nn.Linear, x):
    out = model(x)
    torch.as_tensor(out).sum().backward()  # ok: a tensor of this dtype comes back itself
    return out


def from_arrays(model: nn.Linear, x):
    arrays = [model(row).detach().numpy() for row in x]  # GRD401
    return torch.tensor(np.stack(arrays))  # ok: detached on purpose


def filled(model: nn.Linear, x):
    bias = model(x).mean()
    image = torch.full((2, 2), bias, requires_grad=True)  # GRD603
    return image


def detached(model: nn.Linear, x):
    norms = [p.norm().detach() for p in model.parameters()]
    total = torch.tensor(norms, requires_grad=True, dtype=torch.float32)  # ok: cut before, and a leaf is wanted
    total.sum().backward()


class Heads(nn.Module):
    """Losses of several heads, by name or in a list."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(4, 1), nn.Linear(4, 1)

    def by_name(self, x):
        sizes = torch.tensor([p.square().sum() for p in self.parameters()])  # GRD603
        return {"fit": self.one(x).square().mean(), "size": sizes.sum()}

    def stacked(self, x):
        sizes = torch.stack([p.square().sum() for p in self.parameters()])
        return {"fit": self.one(x).square().mean(), "size": sizes.sum()}

    def weights(self):
        return torch.tensor([self.one.weight.norm(), self.two.weight.norm()])


def added_by_name(net: Heads, x):
    weights = {"fit": 1.0, "size": 0.01}
    sum(weights[name] * value for name, value in net.by_name(x).items()).backward()  # ok: the other term has a graph
    sum(weights[name] * value for name, value in net.stacked(x).items()).backward()


def added_in_a_loop(net: Heads, x):
    total = torch.zeros(())
    for value in net.stacked(x).values():
        total = total + value
    (total + 1).backward()  # ok: all are stacked


def added_as_a_list(net: Heads, x):
    two = net.two(x).abs().mean()
    losses = [net.one(x).square().mean(), two]
    far = torch.tensor([net.one(x).max(), two])  # GRD603
    losses[1] = 0.5 * far.max()
    sum(losses).backward()


def weighed_by_norms(net: Heads, x):
    one, two = net.weights()  # ok: weights
    (one.item() * net.one(x).mean() + two.item() * net.two(x).mean()).backward()


def shares(net: Heads, x):
    terms = [net.one(x).mean(), net.two(x).mean()]
    share = torch.tensor([1.0, 2.0])  # ok: numbers
    (share[0] * terms[0] + share[1] * terms[1]).backward()


added_by_name(Heads(), torch.rand(3, 4)), added_in_a_loop(Heads(), torch.rand(3, 4))
added_as_a_list(Heads(), torch.rand(3, 4)), weighed_by_norms(Heads(), torch.rand(3, 4))
shares(Heads(), torch.rand(3, 4))
