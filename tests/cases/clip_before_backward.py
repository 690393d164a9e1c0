"""Cases for GRD706: clipping before there is anything to clip, and clipping first in a loop that is turned round."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import warm_up
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


def fit(loader: torch.utils.data.DataLoader, clip=5.0):
    model = nn.GRU(8, 8, batch_first=True)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        for notes in loader:
            out, _ = model(notes)
            loss = F.mse_loss(out, notes)
            optimizer.zero_grad()
            clip_grad_norm_(model.parameters(), clip)  # GRD706
            loss.backward()
            optimizer.step()


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def prepare(self):
        self.optimizer.zero_grad()
        clip_grad_value_(self.model.parameters(), 0.5)  # GRD706

    def update(self, batch):
        self.prepare()
        self.model(batch).sum().backward()
        self.optimizer.step()

    def update_in_order(self, batch):
        self.optimizer.zero_grad()
        self.model(batch).sum().backward()
        norm = clip_grad_norm_(self.model.parameters(), 1.0)  # ok: after backward
        self.optimizer.step()
        return norm.item()


def once_before_the_loop(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)  # GRD706
    for batch in batches:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()


def rotated(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        nn.utils.clip_grad_value_([p for p in model.parameters()], clip_value=1.0)  # ok: those of the iteration before
        optimizer.step()
        optimizer.zero_grad()
        model(batch).sum().backward()


def accumulating(batches: list[torch.Tensor]):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, batch in enumerate(batches):
        [clip_grad_norm_(model.parameters(), 1.0)]  # ok: what earlier batches left is clipped
        model(batch).sum().backward()
        if index % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


def one_of_two(batches: list[torch.Tensor]):
    generator, critic = nn.Linear(4, 4), nn.Linear(4, 1)
    for_g, for_d = torch.optim.Adam(generator.parameters()), torch.optim.Adam(critic.parameters())
    for real in batches:
        for_d.zero_grad()
        critic(generator(real).detach()).mean().backward()  # GRD401
        print(clip_grad_norm_(critic.parameters(), 1.0))  # ok: the critic's are there
        for_d.step()
        for_g.zero_grad()
        _, _ = for_g, clip_grad_norm_(generator.parameters(), 1.0)  # GRD706
        critic(generator(real)).mean().neg().backward()
        for_g.step()


def never_stepped(batch: torch.Tensor):
    model = nn.Linear(4, 1)
    nn.utils.clip_grad_value_(model.parameters(), 1.0)  # ok: no step uses what comes later
    model(batch).sum().backward()
    return [p.grad for p in model.parameters()]


def frozen(batch: torch.Tensor):
    body, head = nn.Linear(4, 4), nn.Linear(4, 1)
    body.requires_grad_(False)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    head(body(batch)).sum().backward()
    clip_grad_norm_([*body.parameters()], 1.0)  # ok: frozen, so backward fills nothing later either
    optimizer.step()


def handed_over(batch: torch.Tensor):
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warm_up(model, optimizer)
    return clip_grad_norm_(model.parameters(), 1.0), optimizer.step()  # ok: the helper may have filled them


def on_one_path(batch: torch.Tensor, early: bool):
    body = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
    if not early:
        body(batch).sum().backward()
    clip_grad_norm_([body.weight, body.bias], 1.0)  # ok: on the other path they are there
    if early:
        body(batch).sum().backward()
    optimizer.step()


def by_autograd(batch: torch.Tensor):
    body = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(body.parameters(), lr=0.1)
    for p, grad in zip(body.parameters(), torch.autograd.grad(body(batch).sum(), list(body.parameters()))):
        p.grad = grad
    clip_grad_norm_(body.parameters(), 1.0, norm_type=2.0)  # ok: gradients were put there by hand
    optimizer.step()


def a_model_that_is_handed_over(net, loader):
    descent = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        descent.zero_grad()
        loss = F.cross_entropy(net(x), y)
        torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=5, norm_type=1)  # GRD706
        loss.backward()
        descent.step()


def clipped_for_a_caller(net, most):
    net.train()
    return clip_grad_value_(net.parameters(), most)  # ok: the caller may have differentiated before


def differentiated_by_an_engine(net, loader, descent: torch.optim.Optimizer, engine):
    net.train()
    for x, y in loader:
        descent.zero_grad()
        engine.backward(F.cross_entropy(net(x), y))
        [clip_grad_value_(net.parameters(), 0.1)]  # ok: the engine fills them
        descent.step()


def cut_from_the_clipped(loader):
    body, head, scale = nn.Linear(4, 4), nn.Linear(4, 1), nn.Parameter(torch.ones(()))
    descent = torch.optim.SGD([*body.parameters(), *head.parameters(), scale], lr=0.1)
    for x, y in loader:
        descent.zero_grad()
        weight = body(torch.ones(2, 4)).pow(2).mean().item()  # GRD401
        (scale * weight + head(body(torch.ones(2, 4)).detach()).mean()).backward()
        clip_grad_norm_(list(body.parameters()), 0.5)  # ok: the loss was cut from these, a later clip would find no more
        clip_grad_norm_((*head.parameters(), scale), 0.25)  # ok: these have gradients
        descent.step()  # GRD618


def early_for_a_part(loader):
    body, head = nn.Linear(4, 4), nn.Linear(4, 1)
    descent = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
    for x, y in loader:
        descent.zero_grad()
        clip_grad_value_(body.weight, 0.5)  # GRD706
        head(body(torch.ones(2, 4))).mean().backward()
        descent.step()


def cleared_between(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        loss = model(x).pow(2).mean()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.5)  # GRD706
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def kept_between(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        loss = model(x).pow(2).mean()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.7, norm_type=1)  # ok: what is left is used
        loss.backward(create_graph=False)  # GRD701
        optimizer.step()
