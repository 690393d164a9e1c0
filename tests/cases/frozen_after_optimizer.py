"""Cases for GRD717: parameters that are frozen while an optimizer holds them."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.backbone(x))


def round_of(net, optimizer):
    net(torch.ones(4, 8)).pow(2).mean().backward()
    optimizer.step()


def frozen_with_gradients():
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(4, 8)).mean().backward()
    net.backbone.requires_grad_(False)
    optimizer.step()  # GRD717


def frozen_after_zeros():
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    round_of(net, optimizer)
    optimizer.zero_grad(False)  # GRD722
    for p in net.backbone.parameters():
        p.requires_grad = False
    net(torch.zeros(4, 8)).mean().backward()
    optimizer.step(None)  # GRD717


def cleared_before():
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    round_of(net, optimizer)
    optimizer.zero_grad()
    net.backbone.requires_grad_(False)
    net(torch.zeros(4, 8)).mean().backward()
    optimizer.step(closure=None)  # ok: no gradient is left of what is frozen


def frozen_from_the_start():
    net = Net()
    net.backbone.requires_grad_(False)
    held = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    net(torch.zeros(4, 8)).mean().backward()
    [held.step()]  # ok: never had a gradient


def zeros_without_inertia():
    layer = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(torch.ones(1, 8)).sum().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)  # GRD722
    layer.weight.requires_grad_(False)
    print(optimizer.step())  # ok: zeros move nothing without momentum or weight decay


def weight_decay_on_zeros():
    layer = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1, weight_decay=0.01)
    layer(torch.ones(1, 8)).sum().backward()
    optimizer.step()
    [optimizer.zero_grad(set_to_none=False)]  # GRD722
    layer.weight.requires_grad_(False)
    assert optimizer.step() is None  # GRD717


class Trainer:
    def __init__(self, loader: DataLoader, freeze: bool):
        self.net = Net()
        self.loader = loader
        self.freeze = freeze
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)

    def fit(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.net(x), y).backward()
            if self.freeze:
                self.net.backbone.weight.requires_grad = False
            self.optimizer.step()  # ok: not on every way

    def warm_up(self):
        self.net.head.weight.grad = None
        self.net.head.weight.requires_grad = False
        nn.functional.mse_loss(self.net(torch.ones(1, 8)), torch.zeros(1, 2)).backward()
        self.optimizer.step(*[])  # ok: its gradient was cleared by hand


def thawed_again():
    net = Net()
    optimizer = torch.optim.RMSprop(net.parameters())
    for frozen in (True, False):
        net.requires_grad_(not frozen)
    net(torch.ones(4, 8)).sum().backward()
    return optimizer.step()  # ok: requires grad again


def left_out():
    net = Net()
    optimizer = torch.optim.Adam(net.head.parameters())
    net(torch.ones(4, 8)).sum().backward()
    net.backbone.requires_grad_(False)
    return net, optimizer.step()  # ok: the optimizer does not hold what is frozen
