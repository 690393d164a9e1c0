"""Cases for GRD705: clipping that comes too late, and clipping after a step that is right."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import add_gradients, push
from torch.nn.utils import clip_grad_norm_


def fit(loader: torch.utils.data.DataLoader, clip=5.0):
    model = nn.LSTM(8, 8, batch_first=True)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        for notes in loader:
            optimizer.zero_grad()
            out, _ = model(notes)
            F.mse_loss(out, notes).backward()
            optimizer.step()
            clip_grad_norm_(model.parameters(), clip)  # GRD705


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def update(self, batch):
        self.optimizer.zero_grad()
        self.model(batch).sum().backward()
        self.optimizer.step()
        self.clip()

    def update_in_order(self, batch):
        self.optimizer.zero_grad()
        self.model(batch).sum().backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=1.0)  # ok: before the step
        self.optimizer.step()

    def clip(self):
        torch.nn.utils.clip_grad_value_(self.model.parameters(), 0.5)  # GRD705


def each_of_two(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    for_g, for_d = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    for real in batches:
        critic(real).mean().backward()
        nn.utils.clip_grad_norm_(critic.parameters(), 1.0)  # ok: only the other optimizer has stepped
        for_d.step()
        for_d.zero_grad()
        for_g.zero_grad()
        critic(generator(torch.randn(2, 4))).mean().backward()
        for_d.zero_grad()
        for_g.step()
        norm = nn.utils.clip_grad_norm_(generator.parameters(), 1.0)  # GRD705
    return norm


def rotated(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        nn.utils.clip_grad_value_(model.parameters(), clip_value=1.0)  # ok: those of the iteration before
        optimizer.step()
        optimizer.zero_grad()
        model(batch).sum().backward()


def accumulating(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        model(batch).sum().backward()
        if index % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
        [clip_grad_norm_(model.parameters(), 1.0)]  # ok: what is accumulated is clipped


def carried_over(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        model(batch).sum().backward()  # GRD701
        optimizer.step()
        total = clip_grad_norm_(model.parameters(), 1.0)  # ok: the next step uses what is left of them
    return total


def two_steps(batch: torch.Tensor):
    body = nn.Linear(4, 1)
    slow, fast = torch.optim.SGD(body.parameters(), lr=0.1), torch.optim.Adam(body.parameters())
    body(batch).sum().backward()
    slow.step()
    clip_grad_norm_(body.parameters(), 1.0, 2.0)  # ok: another optimizer uses them as well
    fast.step()


def on_one_path(batch: torch.Tensor, late: bool):
    body = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
    body(batch).sum().backward()
    if late:
        optimizer.step()
    clip_grad_norm_([body.weight, body.bias], 1.0)  # ok: on the other path no step has come before
    if not late:
        optimizer.step()


def pushed(batch: torch.Tensor):
    body = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
    body(batch).sum().backward()
    optimizer.step()
    push(body)
    return clip_grad_norm_(body.parameters(), 1.0)  # GRD705


def pushed_with_its_optimizer(batch: torch.Tensor):
    body = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
    body(batch).exp().sum().backward()
    optimizer.step()
    push(body, optimizer)
    return clip_grad_norm_(body.parameters(), max_norm=1.0)  # ok: nobody knows what the helper left


def filled_again(batch: torch.Tensor):
    body = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
    body(batch).cos().sum().backward()
    optimizer.step()
    add_gradients(body, batch)
    return clip_grad_norm_(list(body.parameters()), 2.0, norm_type=1)  # ok: by its name the helper fills them


def weights_clipped(batch: torch.Tensor):
    critic = nn.Linear(4, 1)
    optimizer = torch.optim.RMSprop(critic.parameters())
    for _ in range(5):
        optimizer.zero_grad()
        critic(batch).mean().backward()
        optimizer.step()
        for p in critic.parameters():
            p.data.clamp_(-0.01, 0.01)
        before = clip_grad_norm_(critic.parameters(), float("inf"))
    print(before, clip_grad_norm_(critic.parameters(), 1.0))  # GRD705


def a_model_that_is_handed_over(net, loader):
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        descent.zero_grad()
        F.cross_entropy(net(x), y).backward()
        descent.step()
        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=5, norm_type=1)  # GRD705


class Stepper:
    """Clears where the loss is computed."""

    def __init__(self, net):
        self.net = net
        self.descent = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(self):
        self.descent.step()
        clip_grad_norm_(self.net.parameters(), 1)  # todo GRD705


def all_handed_over(model, criterion, optimizer, loader):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        norm = clip_grad_norm_(model.parameters(), 0.5)  # ok: before the step
        optimizer.step()
    return norm
