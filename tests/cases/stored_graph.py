"""Cases for GRD509: objects that live long and are handed tensors as they are."""

from collections import deque

import torch
from torch import nn


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.val, self.sum, self.count = 0, 0, 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n  # GRD509
        self.count += n


class QuietMeter:
    def __init__(self):
        self.sum = 0
        self.values = []

    def update(self, val):
        self.sum += val.item()
        self.values.append(val.detach())  # ok: detached


class History:
    def __init__(self, size=100):
        self.losses = []
        self.recent = deque(maxlen=size)
        self.by_step = {}

    def add(self, step, loss):
        self.losses.append(loss)  # GRD509
        self.recent.append(loss * 1.0)  # ok: as long as the deque is, no longer
        self.by_step[step] = loss  # GRD509
        self.by_step["last"] = loss  # ok: the next one takes its place


def train(steps):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    meter, quiet, history = AverageMeter(), QuietMeter(), History()
    for step in range(steps):
        loss = model(torch.ones(2, 4)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(loss, 2)
        quiet.update(loss)
        history.add(step, loss)
    print(meter.sum / meter.count)


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 1)
        self.total_loss = torch.zeros(())
        self.objective = torch.zeros(())
        self.rewards = []

    def run(self, loader):
        for x in loader:
            loss = self.model(torch.ones(2, 4)).abs().mean()
            loss.backward()
            self.total_loss += loss  # GRD509
        print(float(self.total_loss))

    def run_objective(self, loader):
        self.objective = torch.zeros(())
        for x in loader:
            self.objective += self.model(torch.ones(2, 4)).mean()  # ok: differentiated after the loop
        self.objective.backward()

    def run_rewards(self, loader):
        for x in loader:
            self.rewards.append(torch.ones(()))  # ok: requires no grad


class Policy:
    def __init__(self):
        self.net = nn.Linear(4, 2)
        self.saved_log_probs = []

    def select(self):
        log_prob = self.net(torch.ones(1, 4)).log_softmax(-1)[0, 0]
        self.saved_log_probs.append(-log_prob)  # ok: summed up for the loss

    def finish(self):
        loss = -torch.stack(self.saved_log_probs).sum()
        loss.backward()
        del self.saved_log_probs[:]


def reinforce():
    policy = Policy()
    for _ in range(10):
        policy.select()
    policy.finish()


class Replay:
    def __init__(self):
        self.states = []

    def push(self, state, action):
        self.states.append((state, action))  # ok: the pair may as well hold numbers


def collect():
    net, replay = nn.Linear(4, 2), Replay()
    for _ in range(10):
        replay.push(torch.ones(4), net(torch.ones(1, 4)).argmax())  # GRD401


if __name__ == "__main__":
    train(10)
    trainer = Trainer()
    trainer.run([1]), trainer.run_objective([1]), trainer.run_rewards([1])
    reinforce(), collect()


class Pages:
    def __init__(self):
        self.pages, self.states = [], []

    def write(self, values, at):
        page = {"at": at}
        page.update(values)
        self.pages.append([page])  # GRD509

    def keep(self, state):
        self.states += [state]  # GRD509


def fit_by_parts():
    pages, model, cell = Pages(), nn.Linear(2, 2), nn.LSTMCell(2, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    state = (torch.zeros(1, 4), torch.zeros(1, 4))
    for at in range(3):
        parts = {"size": model(torch.ones(5, 2)).pow(2).mean()}
        parts["total"] = parts["size"] + 1
        optimizer.zero_grad()
        parts["total"].backward()
        optimizer.step()
        pages.write({f"fit/{name}": part for name, part in parts.items()}, at)
        state = cell(torch.ones(1, 2), state)
        pages.keep(state)
    print(len(pages.pages), len(pages.states))
