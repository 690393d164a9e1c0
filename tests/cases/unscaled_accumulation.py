"""Cases for GRD718: sums of means, and losses that are divided, are sums, or are not accumulated."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import weighted


def fit(loader: torch.utils.data.DataLoader, every=4):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    for step, (features, labels) in enumerate(loader):
        loss = F.cross_entropy(model(features), labels)
        loss.backward()  # GRD718
        if (step + 1) % every == 0:
            optimizer.step()
            optimizer.zero_grad()


class Trainer:
    def __init__(self, every=4):
        self.model = nn.Linear(4, 2)
        self.criterion = nn.MSELoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu")
        self.every = every

    def fit(self, batches: list[torch.Tensor]):
        for index, batch in enumerate(batches):
            self.scaler.scale(self.criterion(self.model(batch), torch.zeros(1, 2))).backward()  # GRD718
            if index % self.every == 0:
                self.scaler.step(self.optimizer)
                self.scaler.update()
                self.optimizer.zero_grad()

    def fit_scaled(self, batches: list[torch.Tensor]):
        for index, batch in enumerate(batches):
            loss = self.criterion(self.model(batch), torch.zeros(1, 2))
            loss = loss / self.every
            self.scaler.scale(loss).backward()  # ok: divided
            if index % self.every == 0:
                self.scaler.step(self.optimizer)
                self.scaler.update()
                self.optimizer.zero_grad()


def divided_in_place(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        loss = model(batch).mean()
        loss /= 4
        torch.autograd.backward(loss)  # ok: divided in place
        if index % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


def told_how_much(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        model(batch).mean().backward(torch.tensor(0.25))  # ok: the gradient of the root says it
        model(batch).sum().backward()  # ok: a sum, which adds up as it should
        if index % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


def one_by_one(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        optimizer.zero_grad()
        model(batch).square().mean().backward()  # ok: a step for each batch
        optimizer.step()
        if index % 4 == 3:
            print(index)


def weighted_elsewhere(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        (model(batch).mean() * 0.25).backward()  # ok: multiplied
        weighted(model(batch).mean()).backward()  # ok: nobody knows what the helper makes of it
        if index % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


def two_terms(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        first = model(batch).mean()
        sum([first, model.weight.norm()]).backward()  # ok: no plain mean
        if index % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


def rounds(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        if index % 4 == 0:
            F.l1_loss(model(batch), torch.ones(1, 1)).backward()  # ok: nothing is accumulated
            optimizer.step()
            optimizer.zero_grad()
