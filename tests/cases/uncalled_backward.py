"""Cases for GRD606: methods that are named and dropped, and statements that only look so."""

import argparse

import pytest
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self, model: nn.Module, lr):
        self.model = model
        self.optimizers = {'main': torch.optim.Adam(self.model.parameters(), lr=lr)}
        self.schedulers = [torch.optim.lr_scheduler.StepLR(self.optimizers['main'], 10)]
        self.steps = 0

    @property
    def step(self):
        self.steps += 1
        return self.steps

    def epoch(self, loader):
        for inputs, targets in loader:
            self.optimizers['main'].zero_grad  # GRD606
            loss = F.mse_loss(self.model(inputs), targets)
            loss.backward()  # ok: called
            self.optimizers['main'].step()
            self.step, inputs  # ok: a property, which counts when it is read
        self.schedulers[0].step  # GRD606

    def validate(self, loader):
        nn.Sequential(self.model).eval  # GRD606
        with torch.no_grad():
            return sum(F.mse_loss(self.model(x), y).item() for x, y in loader)


def penalised(model: nn.Linear, batch):
    loss = model(batch).pow(2).mean()
    (loss + 0.1 * model.weight.norm()).backward  # GRD606
    return loss


def scaled(model: nn.Linear, batch):
    scaler = torch.amp.GradScaler("cuda")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler.scale(model(batch).sum()).backward()
    scaler.step(optimizer)
    (scaler).update  # GRD606
    optimizer.param_groups[0]["lr"], scaler.get_scale  # ok: no method


def handed_on(model: nn.Linear, batch, queue):
    loss = model(batch).sum()
    run = loss.backward
    queue.append(loss.backward)  # ok: handed on, not dropped
    run()  # ok: called by another name
    return loss


class Simulation:
    def step(self):
        return 1

    def train(self):
        return self


def simulate():
    world = Simulation()
    world.step  # ok: nothing of torch, whatever it does
    Simulation().train  # ok: as above
    return world


def test_no_such_method():
    loss = torch.ones(1, requires_grad=True).sum()
    with pytest.raises(AttributeError):
        (loss * 2).backward  # ok: the program waits for an error here


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    model = nn.Sequential(nn.Linear(2, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for _ in range(3):
        model[0].zero_grad  # GRD606
        loss = model(torch.ones(1, 2)).sum()
        loss.backward() if args.lr > 0 else None  # ok: called on one side
        optimizer.step if args.lr > 0 else optimizer.zero_grad()  # ok: one side does something
        optimizer.step()
    loss.grad_fn.next_functions  # ok: read only, by somebody who looks at the graph


if __name__ == "__main__":
    main()
