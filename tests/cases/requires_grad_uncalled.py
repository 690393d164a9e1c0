"""Cases for GRD106: methods without parentheses, and lines that stand alone for a reason."""

import argparse

import torch
import torch.nn as nn
from torch import Tensor

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)


class Trainer:
    def __init__(self, lr=0.1):
        self.model = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.history = []

    def fit(self, batches, epochs):
        for _ in range(epochs):
            self.model.train  # GRD606
            for x, y in batches:
                loss = (self.model(x) - y).pow(2).mean()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.history.append(loss.item())
            self.validate(batches)

    def validate(self, batches):
        self.model.eval()  # ok: called
        with torch.no_grad():
            return sum(self.model(x).mean().item() for x, _ in batches)


def saliency(model: nn.Module, image: Tensor):
    image.requires_grad_; model.eval()  # GRD106
    score = model(image).max()
    hidden = score * 2
    hidden.retain_grad  # GRD106
    hidden.backward()
    return image.grad


def freeze(model: nn.Sequential, depth: int):
    for index, child in enumerate(model.children()):
        if index < depth:
            model[0].requires_grad_  # GRD106
        for p in child.parameters():
            p.requires_grad_(index >= depth)  # ok: called with what is wanted


def looked_at(weight: Tensor, model: nn.Sequential):
    if weight.ndim: weight.requires_grad  # GRD106
    head = nn.Linear(8, 1)
    head.eval ; model.append(head)  # GRD606
    return weight


def truncated_hidden_state(cell: nn.RNNCell, steps: Tensor):
    state = torch.zeros(1, 8)
    for step in steps:
        state = cell(step, state)
        (state.detach)  # GRD106
    return state


class Lazy:
    """An object whose attributes do something when they are looked up."""

    @property
    def eval(self):
        self.loaded = True
        return self.loaded


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    @property
    def half(self):
        self.layer.half()
        return self

    def forward(self, x):
        return self.layer(x)


def load():
    lazy = Lazy()
    lazy.eval; frozen = Frozen()  # ok: a property of one's own
    [frozen][0].half  # ok: a property of the module's class
    return lazy, frozen


def warm_up(model: nn.Module, runs: int):
    model.get_submodule("head").training  # ok: no method, and nobody would take it for a switch
    torch.backends.cudnn.is_available  # ok: no matter of asking for gradients
    weight = torch.ones(2)
    weight.shape, weight.grad_fn  # ok: looked at, as in an exported notebook
    ...  # ok: a placeholder
    return model, runs


def from_elsewhere(engine):
    engine["critic"].requires_grad_  # ok: nothing says what this is
    engine.parts.net.eval ; engine.close()  # ok: nor this
    return engine


def main():
    args = parser.parse_args()
    trainer = Trainer()
    trainer.fit([(torch.ones(4, 8), torch.ones(4, 1))], args.epochs)
    torch.nn.Module.eval(trainer.model)  # ok: called through its class
    freeze(trainer.model, 1)
    return saliency(trainer.model, torch.rand(4, 8))


def optimizer_of_what_is_trained(model: torch.nn.Module):
    trained = [weight for weight in model.parameters() if weight.requires_grad_]  # todo GRD106
    others = filter(lambda weight: weight.requires_grad_, model.parameters())  # todo GRD106
    return torch.optim.SGD([*trained, *others], lr=0.1)


def frozen_by_comparing(net: nn.Module, image: torch.Tensor, names):
    for name, weight in net.named_parameters():
        if name in names:
            weight.requires_grad == False  # GRD106
    encoder = nn.Sequential(nn.Linear(2, 2), net)
    encoder.training == len(names)  # GRD106
    image.is_leaf == True  # ok: nobody sets that
    net.weight.shape == image.shape  # ok: no matter of asking for gradients
    assert image.requires_grad == False
    return [weight.requires_grad == False for weight in net.parameters()]
