"""Cases for GRD406: gradients switched off and on again by statements."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import set_grad_enabled
from torch.utils.data import DataLoader


class AsymmetricLoss(nn.Module):
    """Called by whoever trains or validates with it."""

    def __init__(self, gamma=2, disable_focal_grad=True):
        super().__init__()
        self.gamma = gamma
        self.disable_focal_grad = disable_focal_grad

    def forward(self, x: torch.Tensor, y: torch.Tensor):
        p = torch.sigmoid(x)
        if self.disable_focal_grad:
            torch.set_grad_enabled(False)
        weight = torch.pow(1 - p * y, self.gamma)
        if self.disable_focal_grad:
            torch.set_grad_enabled(True)  # GRD406
        return -(weight * F.logsigmoid(x)).sum()


def accuracy(model: nn.Module, loader: DataLoader):
    correct = 0
    for x, y in loader:
        torch.set_grad_enabled(False)
        correct += (model(x).argmax(1) == y).sum().item()
        torch.set_grad_enabled(mode=True)  # GRD406
    return correct


def teacher_targets(teacher: nn.Module, x: torch.Tensor):
    set_grad_enabled(False)
    try:
        return teacher(x).softmax(-1)
    finally:
        set_grad_enabled(True)  # GRD406


def previous_put_back(model: nn.Module, x: torch.Tensor):
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    out = model(x)
    torch.set_grad_enabled(before)  # ok: what was on before
    return out


def previous_of_a_known_caller(model, x):
    enabled = torch.is_grad_enabled()
    torch.autograd.set_grad_enabled(False)
    out = model(x)
    torch.autograd.set_grad_enabled(enabled)  # ok: on, because that is what was on before
    return out


def only_called_with_gradients_on(model, x):
    torch.set_grad_enabled(False)
    out = model(x)
    torch.autograd.set_grad_enabled(True)  # ok: all callers are here and have gradients on
    return out


def train_one_epoch(model: nn.Module, optimizer: torch.optim.Optimizer, loader: DataLoader):
    for x, y in loader:
        torch.set_grad_enabled(False)
        weight = model(x).softmax(-1).amax(-1)
        torch.autograd.grad_mode.set_grad_enabled(True)  # ok: it trains, so nobody calls it with gradients off
        loss = (weight * F.cross_entropy(model(x), y, reduction="none")).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def attack(model: nn.Module, image: torch.Tensor):
    torch.autograd.set_grad_enabled(mode=True)  # ok: switched on where it is needed, not after switching off
    image = image.clone().requires_grad_()
    return model(image).max()


def by_phase(model: nn.Module, loaders: dict):
    for phase in ("val", "train"):
        set_grad_enabled(phase == "train")  # ok: no more than a switch
        for x in loaders[phase]:
            model(x)


def as_contexts(model: nn.Module, x: torch.Tensor):
    with torch.set_grad_enabled(False):
        first = model(x)
    with torch.set_grad_enabled(True):  # ok: ends with its block
        second = model(x)
    return first, second


def decorated_inside(model: nn.Module):
    @torch.set_grad_enabled(False)
    def embed(x):
        return model(x)

    @torch.set_grad_enabled(True)  # ok: holds while the function runs
    def refine(x):
        return model(x)

    return embed(torch.ones(1, 8)), refine(torch.ones(1, 8))


def mean_of(model, x):
    torch.set_grad_enabled(False)
    total = model(x).mean()
    _ = torch.set_grad_enabled(True)  # GRD406
    return total


def test_loss():
    torch.set_grad_enabled(False)
    value = AsymmetricLoss()(torch.zeros(2, 3), torch.ones(2, 3))
    assert not value.requires_grad, torch.set_grad_enabled(True)  # ok: a test is called by nobody who minds


def main():
    net = nn.Linear(8, 2)
    only_called_with_gradients_on(net, torch.ones(1, 8))
    previous_of_a_known_caller(net, torch.ones(1, 8))
    with torch.no_grad():
        print(mean_of(net, torch.ones(1, 8)), net(torch.zeros(1, 8)))


if __name__ == "__main__":
    main()
