"""Cases for GRD405: functions that switch gradients off, and whether they switch them on again."""

import sys
from contextlib import contextmanager

import torch
import torch.nn as nn
from torch import set_grad_enabled
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 2)

    def forward(self, x):
        return self.body(x)


def validate(model: nn.Module, loader: DataLoader):
    model.eval()
    torch.set_grad_enabled(False)  # GRD405
    correct = 0
    for x, y in loader:
        correct += (model(x).argmax(1) == y).sum().item()
    return correct / len(loader)


def fit(model: nn.Module, loader: DataLoader, optimizer: torch.optim.Optimizer, epochs: int):
    history = []
    for epoch in range(epochs):
        torch.set_grad_enabled(True)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        _ = torch.set_grad_enabled(mode=False)  # GRD405
        history.append((epoch, model(torch.ones(1, 8)).sum().item()))
        if history[-1][1] > 10:
            return history
    torch.set_grad_enabled(True)
    return history


class Evaluator:
    def __init__(self, model):
        self.mode = torch.set_grad_enabled(False)  # ok: hands nothing back; whoever makes one may want to predict only
        self.model = model

    def scores(self, batches):
        if not batches:
            return []
        torch.autograd.grad_mode.set_grad_enabled(False)  # ok: making one has switched off already
        return [self.model(batch) for batch in batches]


class Scorer:
    def __init__(self, model: nn.Module):
        self.model = model.eval()

    def scores(self, batches):
        if not batches:
            return []
        torch.autograd.set_grad_enabled(False)  # GRD405
        return [self.model(batch) for batch in batches]

    def losses(self, batches):
        before = torch.is_grad_enabled()
        torch.autograd.set_grad_enabled(mode=False)  # ok: what was on is put back
        found = [self.model(batch).sum() for batch in batches]
        torch.set_grad_enabled(before)
        return found

    def first(self, batches):
        set_grad_enabled(False)  # ok: put back on every way out
        try:
            for batch in batches:
                return self.model(batch)
        finally:
            torch.set_grad_enabled(True)  # GRD406
        return None


class Recording:
    def __init__(self, on):
        self.on = on

    def __enter__(self):
        self.before = torch.is_grad_enabled()
        set_grad_enabled(mode=False)  # ok: a context of its own, which __exit__ ends
        return self

    def __exit__(self, *error):
        torch.set_grad_enabled(self.before)


@contextmanager
def off():
    before = torch.is_grad_enabled()
    torch.autograd.grad_mode.set_grad_enabled(mode=False)  # ok: put back when the block is left
    yield before
    torch.set_grad_enabled(before)


def off_for_a_block(model, batch):
    with torch.set_grad_enabled(False):  # ok: as a context it ends with the block
        out = model(batch)
    return out


def disable_grad():
    _ = torch.set_grad_enabled(False)  # ok: that is what it is for


def trained_or_not(model: nn.Module, batch: torch.Tensor, training=True):
    torch.set_grad_enabled(training)  # ok: may be on as well
    return model(batch)


@torch.enable_grad()
def under_a_decorator(model: nn.Module, batch: torch.Tensor):
    assert torch.set_grad_enabled(False) is not None  # ok: the decorator puts back what the caller had
    return model(batch)


def report(model: nn.Module, args):
    if args.frozen:
        args.mode = _ = torch.set_grad_enabled(False)  # ok: switched on again under the same condition
    out = model(torch.ones(2, 8))
    if args.frozen:
        torch.autograd.set_grad_enabled(True)  # GRD406
    return out


def second_epoch(batches=(torch.ones(4, 8), torch.zeros(4, 8))):
    model = Net()

    def error():
        torch.set_grad_enabled(False), print("evaluating")  # GRD405
        return model(torch.ones(2, 8)).mean().item()

    for batch in batches:
        model(batch).pow(2).mean().backward()  # ok: what makes this raise the second time stands above
        error()


def inner_switch(model: nn.Module):
    def predict(batch):
        print("off", torch.set_grad_enabled(False))  # GRD405
        return model(batch)

    return predict(torch.ones(1, 8))


def main():
    _, net = torch.set_grad_enabled(False), Net().eval()  # ok: the whole program predicts
    print(net(torch.ones(1, 8)))
    return 0


if __name__ == "__main__":
    sys.exit(main())


def scored_then_trained():
    model = nn.Linear(2, 1)

    def score(x):
        [torch.set_grad_enabled(False)]  # GRD405
        return model(x).item()

    print(score(torch.ones(1, 2)))
    model(torch.zeros(1, 2)).sum().backward()
    return model
