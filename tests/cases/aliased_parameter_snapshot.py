"""Cases for GRD210: snapshots that change with the parameters, and snapshots that stay."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Trainer:
    def __init__(self, model: nn.Module):
        self.model = model
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def fit(self, batch):
        old_params = [p.detach() for p in self.model.parameters()]  # GRD210
        self.model(batch).sum().backward()
        self.optimizer.step()
        return any(not torch.equal(a, b) for a, b in zip(old_params, self.model.parameters()))

    def fit_copied(self, batch):
        old_params = [p.detach().clone() for p in self.model.parameters()]
        self.model(batch).sum().backward()
        self.optimizer.step()
        return [torch.equal(a, b) for a, b in zip(old_params, self.model.parameters())]  # ok: copied


def converge(steps=100):
    weight = torch.zeros(3, requires_grad=True)
    for _ in range(steps):
        previous = weight.data  # GRD210
        (weight - 1).pow(2).sum().backward()  # ok: the number is no snapshot
        with torch.no_grad():
            weight -= 0.1 * weight.grad
        weight.grad = None
        if torch.allclose(previous, weight):
            break
    return weight


def test_update():
    layer = nn.Linear(2, 2)
    before = layer.weight.detach()
    assert torch.equal(before, layer.weight)  # ok: nothing was written yet
    frozen = copy.deepcopy(layer)
    init = layer.bias.detach()  # GRD210
    with torch.no_grad():
        layer.bias.fill_(1.0)
    torch.testing.assert_close(init, layer.bias)
    assert not torch.equal(frozen.bias, layer.bias)  # ok: a deep copy has memory of its own


def rebound():
    weight = nn.Parameter(torch.zeros(2))
    old = weight.data
    weight.data = weight.data + 1
    return F.mse_loss(weight, old)  # ok: the parameter was given other memory


def proximal(model: nn.Linear, center: nn.Linear, batch):
    optimizer = torch.optim.Adam(model.parameters())
    anchor = center.weight.detach()
    model(batch).sum().backward()
    optimizer.step()
    return (model.weight - anchor).norm()  # ok: the weights of another module


def straight_through(weight: nn.Parameter):
    rounded = weight.round()
    return weight - weight.detach() + rounded  # ok: compared at once


def taken_afterwards(model: nn.Linear):
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    model(torch.ones(1, 2)).mean().backward()
    optimizer.step()
    now = model.weight.detach()
    return torch.dist(now, model.weight)  # ok: taken after the step


def numbers(model: nn.Linear):
    norm = model.weight.detach().norm()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return model.weight.norm() - norm  # ok: a norm is a new tensor


def states(model: nn.Linear):
    before, copied = model.state_dict(), copy.deepcopy(model.state_dict())  # GRD210
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    model(torch.ones(2, 2)).mean().backward()
    optimizer.step()
    for name, now in model.state_dict().items():
        assert not torch.equal(before[name], now)
        assert not torch.equal(now, copied[name])  # ok: a deep copy of the state


def loaded(model: nn.Linear, checkpoint):
    start = model.weight.data  # GRD210
    model.load_state_dict(torch.load(checkpoint))
    return (start != model.weight).any()


def kept_themselves(model: nn.Linear):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = list(model.parameters())  # todo GRD210
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return [torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True)]
