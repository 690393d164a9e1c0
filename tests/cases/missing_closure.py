"""Cases for GRD711: LBFGS without a closure or with a silent one, and optimizers that need none."""

import torch
import torch.nn as nn
from elsewhere import make_closure
from torch.optim import LBFGS


def style_transfer(image: torch.Tensor, target: torch.Tensor, steps=300):
    canvas = image.clone().requires_grad_()
    optimizer = LBFGS([canvas])
    done = [0]
    while done[0] <= steps:

        def closure():
            with torch.no_grad():
                canvas.clamp_(0, 1)
            optimizer.zero_grad()
            loss = (canvas - target).pow(2).mean()
            loss.backward()
            done[0] += 1
            return loss

        optimizer.step(closure)  # ok: the closure returns the loss
    return canvas


def style_transfer_without_loss(image: torch.Tensor, target: torch.Tensor):
    canvas = image.clone().requires_grad_()
    search = LBFGS([canvas], max_iter=20, line_search_fn="strong_wolfe")

    def evaluate():
        search.zero_grad()
        (canvas - target).pow(2).mean().backward()

    for _ in range(5):
        search.step(closure=evaluate)  # GRD711


class Calibration(nn.Module):
    def __init__(self):
        super().__init__()
        self.temperature = nn.Parameter(torch.ones(1) * 1.5)

    def fit(self, logits: torch.Tensor, labels: torch.Tensor):
        optimizer = torch.optim.LBFGS([self.temperature], lr=0.01, max_iter=50)

        def evaluate():
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(logits / self.temperature, labels)
            loss.backward()
            return loss

        nothing = optimizer.step()  # GRD711
        return optimizer.step(evaluate), nothing  # ok: this one has its closure


class Trainer:
    def __init__(self, kind: str):
        self.model = nn.Linear(2, 1)
        self.kind = kind
        self.optimizer = self.make(kind)

    def make(self, kind):
        if kind == "lbfgs":
            return torch.optim.LBFGS(self.model.parameters())
        return torch.optim.SGD(self.model.parameters(), lr=0.1)

    def fit(self, batch: torch.Tensor):
        if self.kind == "lbfgs":
            self.optimizer.step(lambda: self.model(batch).sum())  # ok: a closure for those that need one
        else:
            self.model(batch).sum().backward()
            self.optimizer.step()  # ok: it may be the other one


def stepped_in_order():
    model = nn.Linear(2, 1)
    optimizer = torch.optim.LBFGS(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    for _ in range(3):
        optimizer.step(None)  # GRD711


def with_a_lambda(weight: torch.Tensor):
    point = weight.clone().requires_grad_()
    optimizer = LBFGS([point])
    optimizer.step(lambda: torch.zeros(()))  # ok: a loss comes back
    optimizer.step(lambda: print(point))  # GRD711


def with_a_method():
    class Problem:
        def __init__(self):
            self.point = torch.zeros(2, requires_grad=True)
            self.solver = LBFGS([self.point])

        def loss(self):
            self.solver.zero_grad()
            loss = (self.point - 1).pow(2).sum()
            loss.backward()
            return loss.item()

        def solve(self):
            return self.solver.step(self.loss)  # ok: a number will do

    return Problem().solve()


def with_another_one(point: torch.Tensor):
    solver = LBFGS([point])
    solver.step(make_closure(solver, point))  # ok: nobody knows what this closure returns


class WithoutClosure(LBFGS):
    def step(self, closure=None):
        return super().step(lambda: self.loss)


def derived(point: torch.Tensor):
    solver = WithoutClosure([point])
    return solver.step()  # ok: its own step needs none


def first_order(point: torch.Tensor):
    for kind in (torch.optim.Adam, torch.optim.SGD):
        kind([point]).step()  # ok: these need none


def sometimes_silent(point: torch.Tensor):
    solver = LBFGS([point])

    def closure():
        if point.requires_grad:
            return point.sum()

    for index in range(3):
        if index:
            total = solver.step(closure)  # ok: on one path it returns the loss
    return total
