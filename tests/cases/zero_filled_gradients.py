"""Cases for GRD722: gradients that stay as zeros, and clearings that let go of them."""

import torch
import torch.nn as nn
import torch.nn.functional as F

QUIETLY = False


def fit(loader: torch.utils.data.DataLoader):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    for features, labels in loader:
        optimizer.zero_grad(set_to_none=False)  # GRD722
        F.cross_entropy(model(features), labels).backward()
        optimizer.step()


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def update(self, batch):
        self.model.zero_grad(False)  # GRD722
        self.model(batch).sum().backward()
        self.optimizer.step()

    def update_as_usual(self, batch):
        self.model.zero_grad()  # ok: lets go of them
        self.model(batch).sum().backward()
        self.optimizer.step()

    def update_as_told(self, batch, to_none):
        self.optimizer.zero_grad(set_to_none=to_none)  # ok: the caller decides
        self.model(batch).sum().backward()
        self.optimizer.step()


def by_a_constant():
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        done = optimizer.zero_grad(set_to_none=QUIETLY)  # GRD722
        model(torch.ones(1, 4)).sum().backward()
        optimizer.step()
    return done


def said_aloud():
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad(set_to_none=True)  # ok: the default, said aloud
    model(torch.ones(1, 4)).sum().backward()
    optimizer.step()


def by_hand():
    model = nn.Linear(4, 1)
    model(torch.ones(1, 4)).sum().backward()
    for p in model.parameters():
        p.grad.detach_()
        [p.grad.zero_()]  # ok: not what this rule is about
    for p in model.parameters():
        p.grad = None  # ok: lets go of them


def on_one_path(fast: bool):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad(set_to_none=True if fast else QUIETLY)  # ok: on one path at least it lets go
    optimizer.zero_grad(not QUIETLY)  # ok: a constant the other way round
    return optimizer
