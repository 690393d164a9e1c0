"""Cases for GRD404: losses computed while gradients are off, and what only looks like that."""

import argparse
import enum
from contextlib import nullcontext

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, width), nn.ReLU())
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        return self.head(self.encoder(x))


class Trainer:
    def __init__(self, loader: DataLoader):
        self.net = Net()
        self.loader = loader
        self.optimizer = torch.optim.Adam(self.net.parameters())

    @torch.no_grad()
    def features(self, x):
        return self.net.encoder(x)

    def fit(self):
        for x, y in self.loader:
            self.optimizer.zero_grad()
            F.cross_entropy(self.net(x), y).backward()  # ok: recorded
            self.optimizer.step()

    def fit_on_features(self):
        for x in range(3):
            hidden = self.features(torch.full((4, 8), float(x)))
            loss = hidden.pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()  # GRD404
            self.optimizer.step()

    def fit_head(self):
        for x in range(3):
            scores = self.net.head(self.features(torch.full((4, 8), float(x))))
            scores.sum().backward()  # ok: only the encoder ran with gradients off

    def validate(self):
        with torch.no_grad():
            total = sum(F.cross_entropy(self.net(x), torch.tensor([0])) for x in (torch.ones(1, 8), torch.zeros(1, 8)))
        (total / 2).backward()  # GRD404


def graph_from_outside():
    net = Net()
    loss = net(torch.ones(2, 8)).mean()
    with torch.no_grad():
        loss.backward(retain_graph=True)  # ok: the graph was recorded before the block
        for p in net.parameters():
            p -= 0.1 * p.grad


def enabled_inside():
    net = Net()
    with torch.no_grad():
        before = net(torch.ones(2, 8)).sum()
        with torch.enable_grad():
            after = net(torch.ones(2, 8)).sum()
            (after - before).backward()  # ok: enabled around what is differentiated
        (after / before).backward(retain_graph=True)  # GRD404


def switched_off_for_good():
    torch.set_grad_enabled(False)
    net = Net()
    score = net(torch.ones(1, 8))[0, 1]
    (gradient,) = torch.autograd.grad(score, list(net.parameters())[:1])  # GRD404
    torch.set_grad_enabled(True)
    again = net(torch.ones(1, 8)).sum()
    torch.autograd.backward([again])  # ok: switched on again
    return gradient


def phases(net: Net, optimizer: torch.optim.Optimizer, loader: DataLoader):
    for phase in ("train", "val"):
        for x, y in loader:
            optimizer.zero_grad()
            with torch.set_grad_enabled(phase == "train"):
                loss = F.cross_entropy(net(x), y)
                if phase == "train":
                    (loss * 0.5).backward(create_graph=False)  # ok: on where it is differentiated
                    optimizer.step()


class Stage(enum.Enum):
    FIT = enum.auto()
    TUNE = enum.auto()
    MEASURE = enum.auto()


def one_pass(net: Net, optimizer: torch.optim.Optimizer, stage: Stage):
    loss = net(torch.ones(2, 8)).logsumexp(0).sum()
    if stage in (Stage.FIT, Stage.TUNE):
        (loss / 4).backward()  # ok: the members tell apart which call differentiates
    if stage is not Stage.FIT:
        return loss.item()
    match stage:
        case Stage.FIT:
            optimizer.step()
        case _:
            torch.autograd.grad(loss, list(net.parameters()))
    return 0.0


def one_pass_too_many(net: Net, stage: Stage):
    loss = net(torch.ones(2, 8)).norm()
    if stage is Stage.MEASURE:
        torch.autograd.backward(loss.exp(), retain_graph=True)  # GRD404


def stages():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    one_pass(net, optimizer, Stage.FIT)
    one_pass(net, optimizer, stage=Stage.TUNE)
    with torch.no_grad():
        one_pass(net, optimizer, Stage.MEASURE)
        one_pass_too_many(net, Stage.MEASURE)


def by_a_flag(net: Net, x: torch.Tensor, learn: bool):
    if x.ndim != 2:
        raise ValueError(x.shape)
    loss = net(x).square().amax()
    if not learn:
        return loss.item()
    (loss - 1).backward()  # ok: the flag may well tell apart which call differentiates
    return loss.item()


def by_a_check(net: Net, x: torch.Tensor):
    score = net(x).cos().prod()
    if x.ndim != 2:
        raise ValueError(x.shape)
    torch.autograd.backward([score], [torch.ones(())])  # GRD404


def by_a_match(net: Net, x: torch.Tensor, how: str):
    loss = net(x).neg().amin()
    match how:
        case "learn":
            torch.autograd.grad(loss, [net.head.bias])  # ok: so may what is matched
        case _:
            pass
    loss.tanh().backward() if how != "measure" else None  # ok: and this


def flags(options):
    net, x = Net(), torch.ones(2, 8)
    by_a_flag(net, x, options.learn)
    by_a_check(net, x)
    by_a_match(net, x, options.how)
    if options.measure:
        with torch.no_grad():
            by_a_flag(net, x, options.learn_more)
            by_a_check(net, x)
            by_a_match(net, x, options.how)


def set_by_hand():
    net = Net()
    with torch.no_grad():
        net.head.weight = nn.Parameter(net.head.weight * 0.5)
        loss = net(torch.ones(1, 8)).min()
    torch.autograd.backward(loss.relu() / 2)  # GRD404
    other = Net()
    with torch.no_grad():
        other.head.weight = other.head.weight * 0.5  # GRD809
        loss = other(torch.ones(1, 8)).min()
    (loss - 2).abs().backward()


def perhaps_off(net: Net, x: torch.Tensor, frozen: bool):
    with torch.no_grad() if frozen else nullcontext():
        loss = net(x).mean()
    loss.div(2).backward()  # ok: one way of calling it has gradients on


def asked_afterwards():
    net = Net()
    with torch.no_grad():
        hidden = net.encoder(torch.ones(1, 8))
    hidden.requires_grad_()
    hidden[0, 0].backward()  # ok: a leaf that was asked to require grad
    return hidden.grad


def closure_of_the_optimizer():
    net = Net()
    optimizer = torch.optim.LBFGS(net.parameters())

    def closure():
        optimizer.zero_grad()
        loss = net(torch.ones(2, 8)).pow(2)
        torch.autograd.backward(loss.sum())  # ok: `step()` enables gradients around its closure
        return loss

    with torch.no_grad():
        optimizer.step(closure)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1.0)
    args = parser.parse_args()
    net = Net().eval()
    image = torch.rand(1, 8).requires_grad_()
    with torch.inference_mode():
        score = net(image).max()
    if args.scale > 0:
        (score * args.scale).backward(inputs=[image])  # GRD404
    return image.grad


if __name__ == "__main__":
    main()


def of_what_nobody_shows(critic, actor, states):
    """Neither network is shown; a reduction is computed where it stands."""
    with torch.no_grad():
        value = critic(states).mean()
        loss = -critic(actor(states))
    loss.backward(create_graph=False)  # GRD404
    value.backward(retain_graph=False, create_graph=False)  # GRD404
    with torch.no_grad(), torch.enable_grad():
        again = critic(states).mean()
    [again.backward()]  # ok: on again
    with torch.inference_mode():
        critic(actor(states)).sum().backward()  # GRD404
