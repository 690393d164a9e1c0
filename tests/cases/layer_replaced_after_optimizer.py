"""Cases for GRD716: parts of models that are replaced, before or after their optimizer was built."""

import copy

import torch
import torch.nn as nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
        self.fc = nn.Linear(8, classes)
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.fc(self.backbone(x))


def train(net, optimizer, steps=2):
    for _ in range(steps):
        optimizer.zero_grad()
        net(torch.ones(4, 8)).pow(2).mean().backward()
        optimizer.step()


def fine_tune(classes=5):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.fc = nn.Linear(8, classes)  # GRD716
    train(net, optimizer)


def fine_tune_in_order(classes=5):
    net = Net()
    net.fc = nn.Linear(8, out_features=classes)  # ok: before the optimizer
    train(net, torch.optim.SGD(net.parameters(), lr=0.1))


class Trainer:
    def __init__(self, loader: DataLoader):
        self.net = Net()
        self.loader = loader
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def grow(self):
        self.net.fc = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 3))  # GRD716
        self.fit()

    def grow_and_rebuild(self):
        self.net.fc = nn.Linear(8, 3, bias=False)  # ok: the optimizer is built anew
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.fit()

    def grow_and_add(self):
        head = nn.Linear(8, 3)
        self.net.fc = head  # ok: the optimizer is given the new layer
        self.optimizer.add_param_group({"params": head.parameters(), "lr": 1.0})
        self.fit()

    def other_loss(self):
        self.net.criterion = nn.MSELoss()  # ok: has no parameters, and neither had the old one
        self.fit()

    def cut_off(self):
        self.net.fc = nn.Sequential(nn.Identity())  # ok: nothing new is to be trained
        self.fit()

    def frozen_head(self):
        self.net.fc = nn.Linear(8, 2).requires_grad_(False)  # ok: frozen on purpose
        self.fit()

    def fit(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            self.net.criterion(self.net(x), y).backward()
            self.optimizer.step()


def last_of_several():
    net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))
    optimizer = torch.optim.RMSprop(net.parameters())
    net[-1] = nn.Linear(8, 4)  # GRD716
    train(net, optimizer)
    net[0] = nn.Linear(8, 8)  # ok: training is over


def parallel():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.backbone = nn.DataParallel(net.backbone)  # ok: the same parameters in a wrapper
    train(net, optimizer)


def moved():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net.fc = net.fc.double().float()  # ok: the same module, moved in place
    train(net, optimizer)


def best_kept():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        train(net, optimizer)
        best = copy.deepcopy(net.fc)
    net.fc = best  # ok: the optimizer is done
    return net


def weight_renewed():
    layer = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW([layer.weight, layer.bias], lr=1e-3)
    layer.weight = nn.Parameter(torch.zeros(2, 8))  # GRD716
    train(layer, optimizer, steps=1)


def two_optimizers():
    net = Net()
    first = torch.optim.SGD(net.fc.parameters(), lr=0.1)
    train(net, first)
    net.fc = nn.Linear(8, 7)  # ok: the next one is given it
    second = torch.optim.SGD(net.parameters(), lr=0.01)
    train(net, second)


def of_another(net: nn.Module):
    optimizer = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)
    net.fc = nn.Linear(8, 9)  # ok: what the optimizer holds is another model
    optimizer.step()
    return net


class Restoring:
    """What is trained by a method that something unseen calls is replaced by another when that is over."""

    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.best = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def finish(self, x):
        self.model = self.best  # ok: nobody is seen to train afterwards
        return self.model(x).argmax(1)  # GRD401

    def train_step(self, x):
        self.optimizer.zero_grad()
        self.model(x).sum().backward()
        self.optimizer.step()


def a_head_for_what_is_handed_over(net, classes, batches):
    descent = torch.optim.Adam(net.parameters())
    net.top = nn.Linear(net.top.in_features, classes)  # GRD716
    for batch in batches:
        net.zero_grad()
        net(batch).mean().backward()
        descent.step()


def a_head_with_an_optimizer_of_its_own(net: nn.Module, classes, batches):
    for_all = torch.optim.Adam(net.parameters())
    inside = net.top.in_features
    net.top = nn.Linear(inside, classes)  # ok: another optimizer is given it
    for_top = torch.optim.Adam(net.top.parameters())
    for batch in batches:
        net.zero_grad()
        net(batch).mean().backward()
        for_all.step(), for_top.step()


def a_teacher_for_what_is_handed_over(net, batches):
    descent = torch.optim.Adam(net.parameters())
    net.teacher = copy.deepcopy(net)  # ok: nobody asked for one before
    for batch in batches:
        net.zero_grad()
        (net(batch) - net.teacher(batch).detach()).square().mean().backward()  # GRD401
        descent.step()


class Snapshots:
    """The best so far is another handle on what is trained, and then a copy of it."""

    def __init__(self, net: nn.Module):
        self.net = net
        self.best = self.net
        self.first = self.net.top
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def fit(self, batches):
        for batch in batches:
            self.optimizer.zero_grad()
            self.net(batch).mean().backward()
            self.optimizer.step()
            self.best = copy.deepcopy(self.net).eval()  # ok: the network itself goes on with its parameters

    def grow(self, batches):
        self.net.top = nn.Linear(8, 3)  # GRD716
        self.fit(batches)


class Incremental:
    """Who calls its methods, and in which order, is not shown."""

    def __init__(self, classes, path):
        self.net, self.path = Net(), path
        self.descent = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)

    def more_classes(self, classes):
        head = nn.Linear(8, classes)
        with torch.no_grad():
            head.weight[:2] = self.net.fc.weight
        self.net.fc, self.classes = head, classes  # GRD716

    def restore(self):
        self.net = Net()  # ok: to use what was trained
        self.net.load_state_dict(torch.load(self.path))

    def learn(self, batch, target):
        self.descent.zero_grad()
        nn.functional.mse_loss(self.net(batch), target).backward()
        self.descent.step()


class Grown:
    def __init__(self):
        self.net = nn.ModuleDict({"body": nn.Linear(8, 8), "head": nn.Linear(8, 2)})
        self.steps = torch.optim.Adamax(self.net.parameters())

    def more_classes(self, classes):
        self.net.head = nn.Linear(8, classes)  # ok: the optimizer is given it
        self.steps.add_param_group({"params": self.net.head.parameters()})

    def learn(self, batch):
        self.steps.zero_grad()
        self.net["head"](self.net["body"](batch)).mean().backward()
        self.steps.step()

    def start_over(self):
        self.net.body, self.net.head = nn.Linear(8, 2), nn.Linear(8, 8)  # ok: with an optimizer of its own
        self.steps = torch.optim.SGD(self.net.parameters(), lr=0.01)
