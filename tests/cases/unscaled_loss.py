"""Cases for GRD708: losses that a scaler never saw, and losses that it saw out of sight or need not see."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import differentiate
from torch.cuda.amp import GradScaler, autocast


def fit(loader: torch.utils.data.DataLoader):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler()
    for features, labels in loader:
        optimizer.zero_grad()
        with autocast():
            loss = F.cross_entropy(model(features), labels)
        loss.backward()
        scaler.step(optimizer)  # GRD708
        scaler.update()


def unscaled_first(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cuda")
    for batch in batches:
        model(batch).mean().backward()
        scaler.unscale_(optimizer=optimizer)  # GRD708
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer), optimizer.zero_grad()  # ok: it was said where they were unscaled
        scaler.update()


class Trainer:
    def __init__(self, amp: bool):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu", enabled=amp)

    def backward(self, loss):
        if self.scaler.is_enabled():
            loss = self.scaler.scale(loss)
        loss.backward()

    def update(self, batch):
        self.optimizer.zero_grad()
        self.backward(self.model(batch).sum())
        self.scaler.step(self.optimizer)  # ok: scaled in a method wherever that is asked for
        self.scaler.update()


class Careless:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu")

    def update(self, batch):
        self.optimizer.zero_grad()
        self.model(batch).sum().backward()
        skipped = self.scaler.step(self.optimizer)  # GRD708
        self.scaler.update()
        return skipped


def switched_off(batches: list[torch.Tensor]):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = GradScaler(enabled=False)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        _ = scaler.step(optimizer)  # ok: this scaler does nothing


def both_networks(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    opts = {"g": torch.optim.Adam(generator.parameters()), "d": torch.optim.Adam(critic.parameters())}
    scaler = torch.amp.GradScaler("cpu")
    for real in batches:
        opts["d"].zero_grad()
        scaler.scale(critic(real).mean()).backward()
        scaler.step(opts["d"])  # ok: scaled
        opts["g"].zero_grad()
        critic(generator(real)).mean().backward()
        scaler.step(optimizer=opts["g"])  # GRD708
        scaler.update()


def summed_first(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for batch in batches:
        losses = [scaler.scale(model(part).mean()) for part in batch.chunk(2)]
        torch.autograd.backward(losses)
        print(scaler.step(optimizer))  # ok: a list of scaled losses
        scaler.update()
        optimizer.zero_grad()


def differentiated_elsewhere(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for batch in batches:
        optimizer.zero_grad()
        differentiate(model(batch).mean(), scaler)
        [scaler.step(optimizer)]  # ok: nobody knows what the helper does to the loss
        scaler.update()


def under_one_condition(batches: list[torch.Tensor], amp: bool):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for batch in batches:
        optimizer.zero_grad()
        loss = model(batch).mean()
        if amp:
            loss = scaler.scale(loss)
        loss.backward()
        result = scaler.step(optimizer) if amp else optimizer.step()  # ok: scaled where it steps with a scaler
        if amp:
            scaler.update()
    return result


def nothing_differentiated():
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    return scaler.step(optimizer), scaler  # ok: no gradients of whatever unit


def put_by_hand(batch: torch.Tensor):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for p, grad in zip(model.parameters(), torch.autograd.grad(scaler.scale(model(batch).sum()), model.parameters())):
        p.grad = grad
    return scaler.step(optimizer)  # ok: nobody knows the unit of gradients that are put there


def handed_over(net, descent: torch.optim.Optimizer, loader):
    net.train()
    growing = torch.amp.GradScaler()
    for x, y in loader:
        descent.zero_grad()
        F.cross_entropy(net(x), y).backward()
        if growing.unscale_(descent) is None:  # GRD708
            growing.step(descent)
        growing.update()
