"""Cases for GRD203: gradients looked for after they were cleared, and in time."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Trainer:
    def __init__(self, args: argparse.Namespace):
        self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=args.lr)
        self.norms = []

    def step(self, inputs, labels):
        loss = F.cross_entropy(self.model(inputs), labels)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.norms.append(self.model[0].weight.grad.norm().item())  # GRD203
        return loss.item()

    def step_logged_in_time(self, inputs, labels):
        self.optimizer.zero_grad()
        F.cross_entropy(self.model(inputs), labels).backward()
        self.norms.append(self.model[2].bias.grad.abs().max())  # ok: filled since it was cleared
        self.optimizer.step()

    def log(self, writer, step):
        for name, param in self.model.named_parameters():
            writer.add_histogram(name, param.grad, step)  # ok: whoever calls this may have run backward
        self.model.zero_grad()


def train(model: nn.Linear, loader, writer):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, batch in enumerate(loader):
        optimizer.zero_grad(set_to_none=False)
        print(model.bias.grad)  # ok: zeros, not None, from the second step on
        model(batch).mean().backward()
        if model.weight.grad is not None:  # ok: only asks whether there is one
            writer.add_scalar("norm", model.weight.grad.norm(), step)  # ok: read between backward and clearing
        optimizer.step()


def descend(rate=0.1, steps=10):
    weight = torch.zeros(3, requires_grad=True)
    for _ in range(steps):
        (weight - 1).pow(2).sum().backward()
        with torch.no_grad():
            weight -= rate * weight.grad  # ok: the next backward comes before the next read
        weight.grad = None
    return weight.grad[0]  # GRD203


def two_phases(writer):
    actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
    state = torch.ones(1, 4)
    optimizers = [torch.optim.Adam(net.parameters()) for net in (actor, critic)]
    (actor(state).sum() + critic(state).sum()).backward()
    actor.zero_grad()
    total = critic.weight.grad.norm()  # ok: only the actor's gradients were cleared
    total = total + 2 * actor.weight.grad  # GRD203
    writer.add_histogram("actor", actor.bias.grad)  # GRD203
    return total, optimizers


def cleared_on_one_path(model: nn.Linear, reset: bool):
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    if reset:
        layer.zero_grad()
    return layer.weight.grad.norm()  # ok: there is one unless it was reset


def expected():
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    layer.zero_grad()
    return [param.grad for param in layer.parameters()]  # GRD203


def zeroed_by_hand():
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    for param in layer.parameters():
        param.grad.zero_()  # ok: there is one
    return -layer.weight.grad  # ok: zeros


class Learner:
    def __init__(self):
        self.net = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def update(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        for param in self.net.parameters():
            param.grad.data.clamp_(-1, 1)  # ok: who calls this has computed the loss with the network
        self.optimizer.step()
