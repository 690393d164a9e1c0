"""Cases for GRD719: loops that step without gradients, and loops whose backward stands elsewhere."""

import copy

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


def of_another_network(batches: list[torch.Tensor]):
    old, new = nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(old.parameters(), lr=0.1)
    for batch in batches:
        loss = new(batch).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        print(loss.item(), optimizer.step())  # GRD719


def of_data_that_nobody_shows(loader, args):
    old, new = nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(old.parameters(), lr=0.1)
    for features, _ in loader:
        optimizer.zero_grad()
        new(features.to(args.device)).mean().backward()
        assert optimizer.step() is None  # GRD719


class Wrong:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.other = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.other.parameters())

    def fit(self, steps):
        for _ in range(steps):
            self.optimizer.zero_grad()
            self.model(torch.randn(2, 4)).square().sum().backward()
            last = [_, self.optimizer.step()]  # GRD719
        return last

    def learn(self, losses: list[torch.Tensor]):
        for loss in losses:
            self.optimizer.zero_grad()
            (loss + self.model(torch.ones(4)).sum()).backward()
            yield self.optimizer.step()  # ok: whoever calls this may have computed the loss with the other network


def built_over_a_copy():
    model = nn.Linear(4, 1)
    twin = copy.deepcopy(model)
    optimizer = torch.optim.SGD(twin.parameters(), lr=0.1)
    for number in range(100):
        model.zero_grad()
        model(torch.randn(2, 4)).mean().backward()
        steps = (number, optimizer.step())  # GRD719
    return steps


def handed_over_before(loader):
    mine, theirs = nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(mine.parameters(), lr=0.1)
    features = Engine(mine)
    for batch in loader:
        theirs(features.embed(batch)).mean().backward()
        (optimizer.step(), optimizer.zero_grad(set_to_none=True))  # ok: the engine computes with the network it has


def kept_by_others(loader, memory):
    mine, theirs = nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(mine.parameters(), lr=0.1)
    for batch in loader:
        memory.push(mine(batch))
        theirs(memory.sample()).mean().backward()
        if optimizer.step() is None:  # ok: what is sampled may have been computed by it
            optimizer.zero_grad()


def filled_by_hand(batches: list[torch.Tensor]):
    shared, local = nn.Linear(4, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD(shared.parameters(), lr=0.1)
    for batch in batches:
        local.load_state_dict(shared.state_dict())
        local.zero_grad()
        local(batch).mean().backward()
        for mine, theirs in zip(shared.parameters(), local.parameters()):
            mine.grad = theirs.grad
        return optimizer.step()  # ok: the gradients of the worker are handed on


def in_turns(batches: list[torch.Tensor]):
    first, second = nn.Linear(4, 1), nn.Linear(4, 1)
    one, two = torch.optim.SGD(first.parameters(), lr=0.1), torch.optim.SGD(second.parameters(), lr=0.1)
    for number, batch in enumerate(batches):
        network = first if number % 2 else second
        network(batch).mean().backward()
        for optimizer in (one, two):
            _ = number, optimizer.step(None)  # ok: now the one has gradients, now the other
            optimizer.zero_grad()


def last_layer_of_an_unseen_network(build, loader, epochs):
    model = build("wide")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for param in model.parameters():
        param.requires_grad = False
    for param in model.linear.parameters():
        param.requires_grad = True
    for _ in range(epochs):
        for rows, goals in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(rows), goals).backward()
            _ = [optimizer.step() for _ in range(2)]  # ok: the part that trains is among all that the optimizer was given
