"""Cases for GRD411: parts that run without gradients, and whether an optimizer holds them."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        with torch.no_grad():
            features = self.backbone(x)  # GRD411
        return self.head(features)


def train_all():
    net = Net()
    optimizer = torch.optim.Adam(net.parameters())
    for x in (torch.ones(4, 8), torch.zeros(4, 8)):
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(8, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        with torch.no_grad():
            features = self.backbone(2 * x)  # ok: only the head is given to the optimizer
        return self.head(features)


def train_head(loader: DataLoader):
    net = Probe()
    optimizer = torch.optim.Adam(net.head.parameters())
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def frozen_backbone():
    backbone, head = nn.Linear(8, 8).requires_grad_(False), nn.Linear(8, 2)
    optimizer = torch.optim.SGD(nn.Sequential(backbone, head).parameters(), lr=0.1)
    with torch.no_grad():
        features = backbone(torch.ones(4, 8))  # ok: frozen as well
    head(features).sum().backward()
    optimizer.step()


def evaluated_too():
    net = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(4, 8)).sum().backward()
    optimizer.step()
    with torch.no_grad():
        print(net(torch.ones(1, 8)).mean())  # ok: trained above


def two_heads():
    body, first, second = nn.Linear(8, 8), nn.Linear(8, 2), nn.Linear(8, 2)
    optimizer = torch.optim.SGD([*body.parameters(), *first.parameters(), *second.parameters()], lr=0.1)
    hidden = body(torch.ones(4, 8))
    with torch.no_grad():
        held = second(hidden)  # GRD411
    (first(hidden) - held).pow(2).mean().backward()
    optimizer.step()


def in_turns(steps=4):
    body, head = nn.Linear(8, 8), nn.Linear(8, 2)
    optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
    for step in range(steps):
        optimizer.zero_grad()
        with torch.set_grad_enabled(step % 2 == 0):
            hidden = body(torch.ones(4, 8)).relu()  # ok: every other time with gradients
        head(hidden).sum().backward()
        optimizer.step()


def teacher_and_student():
    teacher, student = nn.Linear(8, 2), nn.Linear(8, 2)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    with torch.no_grad():
        target = teacher(torch.ones(4, 8)).softmax(-1)  # ok: the teacher is in no optimizer
    (student(torch.ones(4, 8)) - target).pow(2).sum().backward()
    optimizer.step()


def normalised():
    layer = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(torch.ones(4, 8)).sum().backward()
    optimizer.step()
    with torch.no_grad():
        norm = layer.weight.abs().max()  # ok: only looked at, after it was trained
    return norm


def never_stepped():
    body, head = nn.Linear(8, 8), nn.Linear(8, 2)
    optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
    with torch.no_grad():
        hidden = body(torch.full((4, 8), 2.0))  # ok: nothing is stepped
    head(hidden).sum().backward()
    return optimizer


def own_parameter():
    scale, layer = nn.Parameter(torch.ones(1)), nn.Linear(8, 2)
    optimizer = torch.optim.SGD([scale, *layer.parameters()], lr=0.1)
    with torch.no_grad():
        factor = scale.exp()  # GRD411
    (factor * layer(torch.ones(4, 8))).sum().backward()
    optimizer.step()
