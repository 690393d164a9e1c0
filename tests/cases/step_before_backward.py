"""Cases for GRD703: steps that come before the gradients, and rotated loops that only look so."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def fit(loader: torch.utils.data.DataLoader):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        for features, labels in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(features), labels)
            optimizer.step()  # GRD703
            loss.backward()


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def step(self, batch):
        self.optimizer.zero_grad()
        loss = self.model(batch).sum()
        self.optimizer.step()  # GRD703
        loss.backward()

    def fit(self, batches: list[torch.Tensor]):
        for batch in batches:
            self.step(batch)


def scaled():
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    updates = 0
    while updates < 10:
        for parameter in model.parameters():
            parameter.grad = None
        updates += optimizer.step() is None  # GRD703
        model(torch.ones(1, 8)).sum().backward()


def rotated():
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.step(), optimizer.zero_grad()  # ok: uses the gradient of the iteration before
        model(torch.ones(1, 8)).sum().backward()


def rotated_with_a_guard():
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(10):
        if index > 0:
            optimizer.step(None)  # ok: not in the first iteration
        optimizer.zero_grad()
        model(torch.ones(1, 8)).sum().backward()
    return optimizer.step()


def accumulating(every):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(10):
        if index % every == 0:
            done = optimizer.step()  # ok: what earlier batches left is used, and then cleared
            optimizer.zero_grad()
        model(torch.ones(1, 8)).sum().backward()
    return done


def both_networks(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    opts = {"g": torch.optim.Adam(generator.parameters()), "d": torch.optim.Adam(critic.parameters())}
    for real in batches:
        opts["d"].zero_grad()
        critic(real).mean().backward()
        opts["d"].step()  # ok: its own backward came before, that of the other network comes later
        opts["g"].zero_grad()
        critic(generator(real)).mean().backward()
        opts["g"].step(closure=None)  # ok: filled by the second loss


def two_phases(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(batches[0]).mean().backward()
    for batch in batches:
        steps = [optimizer.step()]  # ok: the first one finds what was computed before the loop
        optimizer.zero_grad()
        model(batch).mean().backward()
    return steps


def never_differentiated(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        print(model(batch).mean())
        optimizer.step() or print()  # GRD719


def other_parameters(batches: list[torch.Tensor]):
    body, head = nn.Linear(4, 4), nn.Linear(4, 1).requires_grad_(False)
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
    for batch in batches:
        head(body(batch)).mean().backward()
        result = {"stepped": optimizer.step()}  # ok: stepped after backward, cleared by nobody
        head.zero_grad()
        body.zero_grad()
    return result


def handed_over(model, loader, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        done = (None, optimizer.step())  # GRD703
        F.cross_entropy(model(x), y).backward()
    return done


def handed_over_with_its_gradients(model, loader, optimizer):
    model.train()
    for x, y in loader:
        done = (optimizer.step(),)  # ok: what the caller has left is used first
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
    return done
