"""Cases for GRD720: accumulation that is cleared away, and clearings that belong where they stand."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import clear


def main(loader: torch.utils.data.DataLoader):
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulate", type=int, default=4)
    args = parser.parse_args()
    model = nn.Linear(8, 2)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        for step, (features, labels) in enumerate(loader):
            optimizer.zero_grad()  # GRD720
            loss = F.cross_entropy(model(features), labels) / args.accumulate
            loss.backward()
            if (step + 1) % args.accumulate == 0 or step + 1 == len(loader):
                optimizer.step()


class Trainer:
    def __init__(self, every=4):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu")
        self.every = every

    def fit(self, batches: list[torch.Tensor]):
        for index, batch in enumerate(batches):
            is_last = (index + 1) % self.every == 0
            self.model.zero_grad(set_to_none=True)  # GRD720
            self.scaler.scale(self.model(batch).mean() / self.every).backward()
            if is_last:
                self.scaler.step(self.optimizer)
                self.scaler.update()

    def fit_in_order(self, batches: list[torch.Tensor]):
        self.optimizer.zero_grad()
        for index, batch in enumerate(batches):
            (self.model(batch).mean() / self.every).backward()
            if index % self.every == self.every - 1:
                self.optimizer.step()
                self.optimizer.zero_grad()  # ok: where it steps


def right_after_backward(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        (model(batch).mean() / 4).backward()
        if not index % 4:
            optimizer.step()
        optimizer.zero_grad(True)  # GRD720


def in_its_own_branch(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        if index % 4 == 0:
            optimizer.zero_grad(), print(index)  # ok: at the start of each round
        (model(batch).mean() / 4).backward()
        if index % 4 == 3:
            optimizer.step()


def networks_that_take_turns(batches: list[torch.Tensor], critics=5):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    for_g, for_d = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    for index, real in enumerate(batches):
        for_d.zero_grad()
        for_g.zero_grad(set_to_none=1 > 0)  # ok: its own loss is only differentiated when it steps
        (critic(generator(real)).mean() - critic(real).mean()).backward()  # GRD617
        for_d.step()
        if index % critics == 0:
            for_g.zero_grad()
            critic(generator(real)).mean().neg().backward()
            for_g.step()


def skipping_what_is_not_finite(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad(set_to_none=True) or None  # ok: the step is not taken every so many times
        loss = model(batch).mean()
        loss.backward()
        if torch.isfinite(loss):
            optimizer.step()


def printing_now_and_then(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        done = [optimizer.zero_grad()]  # ok: only printing is done every so many times
        loss = model(batch).mean()
        loss.backward()
        optimizer.step()
        if index % 10 == 0:
            print("%d: %f" % (index, loss.item()), done)


def two_loops(epochs, every=8):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        optimizer.zero_grad(set_to_none=not False)  # ok: once for each epoch, before the batches
        for index in range(64):
            (model(torch.ones(1, 4)).mean() / every).backward()
            if (index + 1) % every == 0:
                optimizer.step()
                optimizer.zero_grad()


def for_another_network(batches: list[torch.Tensor]):
    body, head = nn.Linear(4, 4), nn.Linear(4, 1)
    for_body, for_head = torch.optim.SGD(body.parameters(), lr=0.1), torch.optim.SGD(head.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        result = for_head.zero_grad()  # ok: the head steps each time
        (head(body(batch)).mean() / 2).backward()
        for_head.step()
        if index % 2:
            for_body.step()
            for_body.zero_grad()
    return result


def cleared_elsewhere(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        clear(optimizer)
        if batch.numel():
            (optimizer.zero_grad(),)  # ok: nobody knows what the helper leaves to be cleared
        model(batch).mean().backward()
        if index % 2:
            optimizer.step()


def whole_rounds(batches: list[torch.Tensor], every=4):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        if index % every == 0:
            first = optimizer.zero_grad() or index  # ok: all of it happens every so many times
            model(batch).mean().backward()
            optimizer.step()
            print(first)


class Clock:
    def __init__(self, every):
        self.every = every
        self.ticks = 0
        self.rings = False

    def tick(self):
        self.ticks += 1
        self.rings = self.ticks % self.every == 0

    def is_due(self):
        return self.ticks % self.every == 0


class Timed:
    def __init__(self, every=4):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.clock = Clock(every)
        self.pending = 0

    def by_attribute(self, batches: list[torch.Tensor]):
        for batch in batches:
            self.clock.tick()
            assert self.optimizer.zero_grad() is None  # GRD720
            (self.model(batch).mean() / self.clock.every).backward()
            if self.clock.rings:
                self.optimizer.step()

    def by_method(self, batches: list[torch.Tensor]):
        for batch in batches:
            self.clock.tick()
            [self.model.zero_grad()]  # GRD720
            (self.model(batch).mean() / self.clock.every).backward()
            if self.clock.is_due():
                self.optimizer.step()

    def by_method_of_a_name(self, batches: list[torch.Tensor]):
        for batch in batches:
            self.clock.tick()
            due = self.clock.is_due()
            print(self.model.zero_grad())  # GRD720
            (self.model(batch).mean() / self.clock.every).backward()
            if due:
                self.optimizer.step()

    def by_counter(self, batches: list[torch.Tensor]):
        for batch in batches:
            done = self.optimizer.zero_grad()  # GRD720
            (self.model(batch).mean() / 4).backward()
            self.pending += 1
            if self.pending == 4:
                self.optimizer.step()
                self.pending = 0

    def cleared_when_it_rings(self, batches: list[torch.Tensor]):
        for batch in batches:
            self.clock.tick()
            (self.model(batch).mean() / self.clock.every).backward()
            if self.clock.rings:
                self.optimizer.step()
                self.optimizer.zero_grad()  # cleared when the step has used it

    def cleared_when_it_is_due(self, batches: list[torch.Tensor]):
        for batch in batches:
            if self.clock.is_due():
                self.optimizer.zero_grad()  # begun anew when the step before is done
            self.clock.tick()
            (self.model(batch).mean() / self.clock.every).backward()
            if self.clock.is_due():
                self.optimizer.step()

    def cleared_when_enough(self, batches: list[torch.Tensor]):
        pending = 0
        for batch in batches:
            (self.model(batch).mean() / 4).backward()
            pending += 1
            if pending >= 4:
                self.optimizer.step()
                self.optimizer.zero_grad()  # cleared under the counter
                pending = 0

    def small_losses_are_left_out(self, batches: list[torch.Tensor]):
        skipped = 0
        for batch in batches:
            self.optimizer.zero_grad()  # nothing is to add up, some batches are left out
            loss = self.model(batch).mean()
            loss.backward()
            if loss.item() >= 0.1:
                self.optimizer.step()
            else:
                skipped += 1


class Behind:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def loss(self, batch):
        return self.model(batch).pow(2).mean()

    def steps_once_an_epoch(self, loader):
        for _ in range(3):
            for batch in loader:
                self.optimizer.zero_grad(set_to_none=not False)  # GRD720
                self.loss(batch).backward()
            self.optimizer.step()

    def differentiates_elsewhere(self, batch):
        print(self.model.zero_grad(), batch.shape)  # GRD720
        loss = self.loss(batch)
        loss.backward()
        return loss.item()

    def steps_behind_calls(self, loader):
        total = 0.0
        for batch in loader:
            total += self.differentiates_elsewhere(batch)
        self.optimizer.step()
        return total

    def clears_before_the_loop(self, loader):
        self.optimizer.zero_grad() or print()  # ok: what the loop adds up is used as a whole
        for batch in loader:
            self.loss(batch).backward()
        self.optimizer.step()

    def clears_at_first(self, loader):
        for index, batch in enumerate(loader):
            if index == 0:
                self.optimizer.zero_grad()  # once
            self.loss(batch).backward()
        self.optimizer.step()

    def looks_at_each(self, loader):
        importance = torch.zeros_like(self.model.weight)
        for batch in loader:
            self.model.zero_grad()  # each gradient is looked at
            self.loss(batch).backward()
            importance += self.model.weight.grad.detach() ** 2
        self.optimizer.step()
        return importance

    def probes_before_it_trains(self, loader):
        for batch in loader:
            self.model.zero_grad() is None or print()  # ok: these gradients are nothing to the step
            self.loss(batch).backward()
        for batch in loader:
            self.optimizer.zero_grad()
            self.loss(batch).backward()
            self.optimizer.step()

    def steps_in_the_loop(self, loader):
        for batch in loader:
            self.optimizer.zero_grad()  # used in each iteration
            self.loss(batch).backward()
            self.optimizer.step()
        self.optimizer.step()

    def of_each_group(self, groups):
        for group in groups:
            self.optimizer.zero_grad()  # a group of batches adds up
            for batch in group:
                self.loss(batch).backward()
            self.optimizer.step()
