"""Cases for GRD714: parameters that stand in an optimizer more than once, or seem to."""

import itertools

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.backbone(x))


class Tied(nn.Module):
    """Its decoder uses the weight of its encoder."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4, bias=False)
        self.decoder = nn.Linear(4, 4, bias=False)
        self.decoder.weight = self.encoder.weight


class Trainer:
    def __init__(self, lr=0.1):
        self.net = Net()
        head, rest = self.net.head, self.net
        self.optimizer = torch.optim.SGD(  # GRD714
            [{"params": rest.parameters(), "lr": lr / 10}, {"params": head.parameters()}], lr=lr
        )

    def separate(self):
        groups = [{"params": self.net.backbone.parameters()}, {"params": self.net.head.parameters()}]
        return torch.optim.SGD(groups, lr=0.1)  # ok: parts that have nothing in common

    def filtered(self):
        ids = {id(p) for p in self.net.head.parameters()}
        rest = [p for p in self.net.parameters() if id(p) not in ids]
        groups = [{"params": rest}, {"params": self.net.head.parameters()}]
        return torch.optim.AdamW(groups)  # ok: the head is left out of the rest

    def by_name(self):
        rest = (p for n, p in self.net.named_parameters() if not n.startswith("head"))
        return torch.optim.AdamW([{"params": rest}, {"params": list(self.net.head.parameters())}])  # ok: left out by name


def tied_once():
    net = Tied()
    return torch.optim.Adam(net.parameters())  # ok: `parameters()` gives the shared weight once


def tied_twice():
    net = Tied()
    return torch.optim.Adam([*net.encoder.parameters(), *net.decoder.parameters()])  # GRD714


def encoder_and_decoder():
    encoder, decoder = Net(), Net()
    both = itertools.chain(encoder.parameters(), decoder.parameters())
    return torch.optim.RMSprop(both, centered=True)  # ok: two models


def the_same_model_twice():
    model = Net()
    ema = model
    return torch.optim.SGD(list(model.parameters()) + list(ema.parameters()), lr=0.1)  # GRD714


def two_optimizers(net: Net):
    first = torch.optim.SGD(net.parameters(), lr=0.1)
    second = torch.optim.Adam(net.head.parameters(), lr=0.1)  # ok: another optimizer
    return first, second


def decay_or_not(net: nn.Module):
    decay = [p for p in net.parameters() if p.dim() > 1]
    plain = [p for p in net.parameters() if p.dim() <= 1]
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-3)  # ok: either or


def extended(net: nn.Linear):
    params = [net.weight]
    if net.bias is not None:
        params.append(net.bias)
    temperature = nn.Parameter(torch.ones(1))
    params += [temperature]
    ok = torch.optim.SGD(params, lr=0.5)  # ok: three of them
    return ok, torch.optim.SGD([temperature, net.weight, temperature], lr=0.5)  # GRD714


def one_of_two(net: Net, whole: bool):
    part = net if whole else net.backbone
    return torch.optim.SGD([{"params": part.parameters()}, {"params": net.head.parameters()}], 0.1)  # ok: perhaps a part
