"""Cases for GRD723: norms over gradients that nobody clears, and norms over those that somebody does."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.body(x))


def head_alone(rounds):
    net = Tagger()
    optimizer = torch.optim.Adam(net.head.parameters(), lr=1e-3)
    for _ in range(rounds):
        optimizer.zero_grad()
        net(torch.randn(4, 8)).square().mean().backward()
        clip_grad_norm_(net.parameters(), max_norm=5.0)  # GRD723
        optimizer.step()


def head_alone_clipped(rounds):
    net = Tagger()
    optimizer = torch.optim.AdamW(net.head.parameters(), lr=1e-3)
    for _ in range(rounds):
        optimizer.zero_grad()
        net(torch.randn(4, 8)).square().sum().backward()
        clip_grad_norm_(net.head.parameters(), max_norm=5.0)  # ok: what the optimizer holds
        optimizer.step()


def all_cleared(rounds):
    net = Tagger()
    optimizer = torch.optim.RMSprop(net.head.parameters())
    for _ in range(rounds):
        net.zero_grad()
        net(torch.randn(4, 8)).abs().mean().backward()
        total = clip_grad_norm_(net.parameters(), 1.0)  # ok: the whole model is cleared
        optimizer.step()
    return total


def by_value(rounds):
    net = Tagger()
    optimizer = torch.optim.SGD(net.head.parameters(), lr=0.1, momentum=0.9)
    for _ in range(rounds):
        optimizer.zero_grad()
        net(torch.randn(4, 8)).exp().mean().backward()
        clip_grad_value_(net.parameters(), 0.5)  # ok: each gradient by itself
        optimizer.step()


def frozen_body(rounds):
    net = Tagger()
    net.body.requires_grad_(False)
    optimizer = torch.optim.Adagrad(net.head.parameters())
    for _ in range(rounds):
        optimizer.zero_grad()
        net(torch.randn(4, 8)).tanh().mean().backward()
        nn.utils.clip_grad_norm_(parameters=net.parameters(), max_norm=1.0)  # ok: the body has no gradients
        optimizer.step()


def two_optimizers(rounds):
    net = Tagger()
    of_body, of_head = torch.optim.SGD(net.body.parameters(), lr=0.1), torch.optim.SGD(net.head.parameters(), lr=0.2)
    for _ in range(rounds):
        of_body.zero_grad()
        of_head.zero_grad()
        net(torch.randn(4, 8)).sigmoid().mean().backward()
        clip_grad_norm_([*net.parameters()], 2.0)  # ok: both are stepped
        of_body.step()
        of_head.step()


def once():
    net = Tagger()
    optimizer = torch.optim.NAdam(net.head.parameters())
    net(torch.randn(4, 8)).cosh().mean().backward()
    nn.utils.clip_grad_norm_([*net.body.parameters(), *net.head.parameters()], 2.0)  # ok: nothing adds up
    optimizer.step()


def body_of_another(rounds):
    body, head = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), nn.Linear(4, 3)
    optimizer = torch.optim.Adam(params=head.parameters())  # GRD721
    for _ in range(rounds):
        optimizer.zero_grad(set_to_none=True)
        head(body(torch.randn(4, 8))).square().mean().backward()
        clip_grad_norm_(list(body.parameters()) + list(head.parameters()), 1.0)  # ok: GRD721 speaks of it
        optimizer.step()


def several(rounds, most=1.0):
    parts = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1)])
    optimizer = torch.optim.Adamax(parts[2].parameters())
    for _ in range(rounds):
        x = torch.randn(4, 3)
        for part in parts:
            x = part(x)  # GRD617
        optimizer.zero_grad()
        x.square().mean().backward()
        clip_grad_norm_(parts.parameters(), most, norm_type=1)  # ok: GRD617 speaks of it
        optimizer.step()


def tail_of_a_stack(rounds):
    stack = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    optimizer = torch.optim.Rprop(stack[2].parameters())
    for _ in range(rounds):
        stack(torch.randn(4, 3)).square().mean().backward()
        total = torch.nn.utils.clip_grad_norm_(stack.parameters(), 1.0)  # GRD723
        optimizer.step()
        optimizer.zero_grad()
    return total


head_alone(3)
tail_of_a_stack(3)
head_alone_clipped(3)
all_cleared(3)
by_value(3)
frozen_body(3)
two_optimizers(3)
once()
body_of_another(3)
several(3)
