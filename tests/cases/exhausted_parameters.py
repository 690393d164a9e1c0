"""Cases for GRD712: parameters gone through once and again."""

import argparse
from itertools import chain

import torch
import torch.nn as nn
from elsewhere import freeze
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


class Trainer:
    def __init__(self, loader: DataLoader):
        self.net = Net()
        self.loader = loader
        self.params = self.net.parameters()
        self.kept = list(self.net.parameters())
        self.optimizer = torch.optim.SGD(self.params, lr=0.1)  # ok: the first use

    def fit(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.net(x), y).backward()
            clip_grad_norm_(self.params, 1.0)  # GRD712
            clip_grad_norm_(self.net.parameters(), 1.0)  # ok: a new iterator at every step
            self.optimizer.step()


def penalty(params):
    return sum(p.pow(2).sum() for p in params)  # GRD712


def with_penalty():
    net = Net()
    params = net.parameters()
    loss = net(torch.ones(1, 8)).sum()
    for _ in range(3):
        loss = loss + 0.1 * penalty(params)
    loss.backward()


def parts_one_after_the_other(net: nn.Module, more: nn.Module):
    parts = [net.parameters()]
    parts.append(more.parameters())
    for at in range(len(parts)):
        for each in parts[at]:  # ok: each iterator in the list is gone through once
            yield each


def frozen_groups():
    net = Net()
    named = net.named_parameters()
    decay = [p for n, p in named if n.endswith("weight")]  # ok: goes through it for the first time
    other = [p for n, p in named if n.endswith("bias")]  # GRD712
    return torch.optim.AdamW([{"params": decay}, {"params": other, "weight_decay": 0.0}])


def frozen_groups_of_a_list():
    net = Net()
    named = dict(net.named_parameters())  # ok: into a dict, which lasts
    decay = [p for n, p in named.items() if n.endswith("weight")]
    return decay, [p for n, p in named.items() if n.endswith("bias")]


def chained():
    one, other = Net(), Net()
    both = chain(one.parameters(), other.parameters())
    optimizer = torch.optim.Adam(both)
    total = clip_grad_norm_(both, max_norm=0.5)  # GRD712
    return optimizer, total


def made_again():
    net = Net()
    params = net.parameters()
    count = sum(p.numel() for p in params)
    params = net.parameters()
    return count, torch.optim.SGD(params, lr=0.1)  # ok: made anew


def one_or_the_other(net: nn.Module, adam: bool):
    trained = filter(lambda p: p.requires_grad, net.parameters())
    if adam:
        return torch.optim.Adam(trained)  # ok: one of two ways
    return torch.optim.SGD(trained, lr=0.1, momentum=0.9)  # ok: the other


def looked_at_first(net: nn.Module):
    params = net.parameters()
    device = next(params).device
    for index, p in enumerate(params):  # ok: what is left behind the first
        print(index)
        p.data = p.data.to(device)


def every_epoch(net: nn.Module, epochs: int):
    params = (p for p in net.parameters() if p.requires_grad)
    for _ in range(epochs):
        for p in params:  # GRD712
            p.grad = None


def every_epoch_anew(net: nn.Module, epochs: int):
    for _ in range(epochs):
        params = (p for p in net.parameters() if p.requires_grad)
        torch.nn.utils.clip_grad_value_(params, clip_value=0.1)  # ok: made in the same iteration


def batches_twice(batches=4):
    rows = (torch.ones(8) * n for n in range(batches))
    first = torch.stack(list(rows))
    return first, list(rows)  # ok: no parameters


def frozen_by_a_helper(energy: Net, samples: list[torch.Tensor]):
    trained = energy.parameters()
    descent = torch.optim.Adam(trained, betas=(0.0, 0.999))
    for sample in samples:
        freeze(trained)  # GRD712
        energy(sample).sum().backward()
        descent.step(), descent.zero_grad()


def told_twice(energy: Net):
    shown = energy.named_parameters()
    freeze(shown), freeze(shown, first=3)
    norms = (weight.norm() for weight in energy.parameters())
    total = sum(norms)
    return freeze(norms), total  # ok: norms, no parameters


class Ensemble:
    """Its `parameters()` is no generator."""

    def __init__(self):
        self.nets = [Net(), Net()]

    def parameters(self):
        return [p for net in self.nets for p in net.parameters()]  # ok: a list is made of it

    def optimizer(self):
        params = self.parameters()
        clip_grad_norm_(params, 2.0)
        return torch.optim.SGD(params, lr=0.01)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    net = Net()
    params = net.parameters()
    print(len(list(params)), "parameters")
    optimizer = torch.optim.SGD(params, lr=args.lr)  # GRD712
    return optimizer


if __name__ == "__main__":
    main()
