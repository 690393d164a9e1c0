"""Cases for GRD719: loops that step without gradients, and loops whose backward stands elsewhere."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import Engine, differentiate


def fit(loader: torch.utils.data.DataLoader):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        for features, labels in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(features), labels)
            print(loss.item())
            optimizer.step()  # GRD719


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def loss(self, batch):
        return self.model(batch).pow(2).mean()

    def fit(self, batches: list[torch.Tensor]):
        history = []
        for batch in batches:
            loss = self.loss(batch)
            self.optimizer.zero_grad()
            self.optimizer.step()  # GRD719
            history.append(loss.item())
        return history

    def fit_in_order(self, batches: list[torch.Tensor]):
        for batch in batches:
            self.optimizer.zero_grad()
            self.loss(batch).backward()
            _ = self.optimizer.step()  # ok: after backward


def backward_not_called(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch).sum()
        loss.backward  # GRD606
        skipped = optimizer.step()
    return skipped


def by_hand(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        for p, grad in zip(model.parameters(), torch.autograd.grad(model(batch).sum(), list(model.parameters()))):
            p.grad = grad
        optimizer.step(), optimizer.zero_grad()  # ok: gradients by `autograd.grad`


def with_a_closure(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:

        def closure():
            optimizer.zero_grad()
            loss = model(batch).sum()
            loss.backward()
            return loss

        optimizer.step(closure)  # ok: the closure differentiates


def helped(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    engine = Engine(optimizer)
    for batch in batches:
        optimizer.zero_grad()
        differentiate(model(batch).sum())
        [optimizer.step()]  # ok: the helper gets the loss
    for batch in batches:
        model.zero_grad()
        engine.loss = model(batch).mean()
        engine.backward()
        print(optimizer.step())  # ok: the engine has the loss and the optimizer


def picture_of_a_schedule(epochs):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    rates = []
    for _ in range(epochs):
        rates.append(scheduler.get_last_lr()[0])
        stepped = optimizer.step() is None  # ok: no loss, just a learning rate
        scheduler.step()
    return rates, stepped


def differentiated_before(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizers = [torch.optim.SGD([p], lr=0.1) for p in model.parameters()]
    sum(model(batch).sum() for batch in batches).backward()
    for optimizer in optimizers:
        model(batches[0])
        optimizer.step(None)  # ok: differentiated before the loop


def without_gradients(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for batch in batches:
        with torch.no_grad():
            losses.append(model(batch).sum().item())
        losses.append(optimizer.step())  # ok: nothing is recorded that could be differentiated
    return losses


def one_of_two(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    for_g, for_d = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    for real in batches:
        for_d.zero_grad()
        critic(generator(real).detach()).mean().backward()
        for_d.step(closure=None)  # ok: its loss is differentiated
        for_g.zero_grad()
        critic(generator(real)).mean()
        result = {"g": for_g.step()}  # GRD618
    return result
