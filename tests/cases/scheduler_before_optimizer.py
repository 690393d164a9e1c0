"""Cases for GRD710: schedulers that run ahead, and schedulers that step early for a reason."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import train_one_epoch
from torch.optim import lr_scheduler


def fit(loader: torch.utils.data.DataLoader, epochs=10):
    model = nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.MultiStepLR(optimizer, milestones=[3, 6])
    for epoch in range(epochs):
        scheduler.step()  # GRD710
        for features, labels in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(features), labels).backward()
            optimizer.step()


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.scheduler = lr_scheduler.OneCycleLR(self.optimizer, max_lr=0.1, total_steps=100)

    def update(self, batch):
        self.optimizer.zero_grad()
        self.model(batch).sum().backward()
        self.scheduler.step()  # GRD710
        self.optimizer.step()

    def fit(self, batches: list[torch.Tensor]):
        for batch in batches:
            self.update(batch)


def in_order(batches: list[torch.Tensor]):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedulers = [lr_scheduler.CosineAnnealingLR(optimizer, 10)]
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
        schedulers[0].step()  # ok: after the optimizer


def moved_to_where_it_stopped(batches: list[torch.Tensor], start):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(optimizer, 1)
    for _ in range(start):
        rate = scheduler.step()  # ok: an earlier run went as far as that
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()
    return rate


def not_in_the_first(epochs):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.LinearLR(optimizer)
    for epoch in range(epochs):
        if epoch > 0:
            scheduler.step(), print("next")  # ok: not in the first epoch
        for _ in range(5):
            optimizer.zero_grad()
            model(torch.ones(1, 4)).sum().backward()
            optimizer.step()


def told_what_to_do(batches: list[torch.Tensor]):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    plateau = lr_scheduler.ReduceLROnPlateau(optimizer)
    restarts = lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 10)
    for index, batch in enumerate(batches):
        loss = model(batch).mean()
        plateau.step(loss.item())  # ok: moves on by the loss
        restarts.step(index / len(batches))  # ok: is told where it stands
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def optimizer_stepped_before(batches: list[torch.Tensor]):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warm = lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / 10))
    optimizer.zero_grad()
    optimizer.step()
    for batch in batches:
        [warm.step()]  # ok: the first rate, 0, was used before the loop
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


def another_optimizer(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    for_g, for_d = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    slower = lr_scheduler.ExponentialLR(for_d, 0.9)
    for real in batches:
        for_d.zero_grad()
        critic(real).mean().backward()
        for_d.step()
        rates = slower.step(), for_d.param_groups[0]["lr"]  # ok: its own optimizer has stepped
        for_g.zero_grad()
        critic(generator(real)).mean().backward()
        for_g.step()
    return rates


def stepped_by_a_scaler(batches: list[torch.Tensor]):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    state = {"scheduler": lr_scheduler.PolynomialLR(optimizer)}
    scaler = torch.amp.GradScaler("cpu")
    for batch in batches:
        state["scheduler"].step()  # GRD710
        optimizer.zero_grad()
        scaler.scale(model(batch).sum()).backward()
        scaler.step(optimizer)
        scaler.update()


def stepped_elsewhere(loader, epochs):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(optimizer, 1)
    for epoch in range(epochs):
        train_one_epoch(model, optimizer, loader)
        print(scheduler.step())  # ok: the helper may have stepped the optimizer
        optimizer.step()


def picture_of_a_schedule(steps):
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.CyclicLR(optimizer, 0.01, 0.1)
    rates = []
    for _ in range(steps):
        rates.append(scheduler.get_last_lr())
        scheduler.step(None)  # ok: no optimizer steps here
    return rates


def moved_on_once(net, batches: list[torch.Tensor], anneal=0.9):
    descent = torch.optim.Adam(net.parameters(), lr=1e-3)
    falling = lr_scheduler.ExponentialLR(descent, anneal)
    falling.step(), print(anneal)  # GRD710
    for batch in batches:
        net.zero_grad()
        net(batch).pow(2).mean().backward()
        descent.step()


def warmed_up(net, batches: list[torch.Tensor], resumed: bool):
    descent = torch.optim.Adam(net.parameters(), lr=1e-3)
    rising = lr_scheduler.LambdaLR(descent, lambda index: index / 100)
    falling = lr_scheduler.StepLR(descent, step_size=30)
    (rising.step(),)  # ok: the first rate is 0
    if resumed:
        falling.step(epoch=None)  # ok: not in every run
    for batch in batches:
        net.zero_grad()
        net(batch).abs().mean().backward()
        descent.step()


class Epochs:
    """One method moves on before another one trains."""

    def __init__(self, net, batches):
        self.net, self.batches = net, batches
        self.descent = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.falling = lr_scheduler.StepLR(self.descent, 30)

    def epoch(self):
        for batch in self.batches:
            self.descent.zero_grad()
            self.net(batch).mean().backward()
            self.descent.step()

    def run(self):
        for _ in range(90):
            self.falling.step(), self.batches.reset()  # GRD710
            self.epoch()


def rate_of_the_epoch(net, batches):
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    falling = lr_scheduler.StepLR(descent, 30)
    for epoch in range(90):
        falling.step(epoch)  # ok: sets the rate of the epoch that it is given, the first one of all in the first round
        for batch in batches:
            descent.zero_grad()
            net(batch).mean().backward()
            descent.step()
    return net
