"""Cases for GRD804: `forward` written out, and the ways in which that is right."""

import copy

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, width), nn.Tanh())

    def forward(self, x):
        return self.net(x)


class Predictor(Encoder):
    def predict(self, x):
        return self.forward(x).argmax(-1)  # GRD401


class Residual(Encoder):
    def forward(self, x):
        return x + super().forward(x)


class Timed(nn.Module):
    """A class that says itself what a call does."""

    def __init__(self):
        super().__init__()
        self.core = nn.Linear(8, 8)
        self.calls = 0

    def __call__(self, x, log=False):
        self.calls += log
        return self.forward(x)  # ok: its own call comes here

    def forward(self, x):
        return self.core(x)


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder(3)
        self.decoder = nn.Linear(3, 8)
        self.blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(2)])

    def forward(self, x):
        for block in self.blocks:
            x = block.forward(x)  # GRD804
        code = self.encoder.forward(x)  # GRD804
        code = self.encoder(code + x)  # ok: called
        return self.decoder.forward(code), self.blocks[0].forward(input=x)  # GRD804


class Wrapper(nn.Module):
    def __init__(self, module: nn.Module):
        super().__init__()
        self.module = module

    def forward(self, *args, **kwargs):
        return self.module.forward(*args, **kwargs)  # GRD804


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)

    def step(self, images, labels):
        self.optimizer.zero_grad()
        logits = self.model.forward(images.flatten(1))  # GRD804
        loss = nn.functional.cross_entropy(logits, labels)
        loss.backward()
        self.optimizer.step()
        return self.model(images).detach()  # GRD401


class Pipeline:
    """No module at all: its `forward` is a method like any other."""

    def forward(self, x):
        return x * 2


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def rates(images):
    loud = Timed()
    quiet = loud.forward(images) * 2  # ok: calling it does something else
    return Pipeline().forward(images) + Double.forward(None, images) + quiet


def with_printing(model: nn.Module, images):
    original = model.forward
    lines = []

    def patched(*args):
        lines.append(len(args))
        return original(*args)  # ok: what was there before, held under another name

    model.forward = patched
    return model(images), lines  # ok: called, with the new one


def probe(images, count=3):
    net = nn.Sequential(nn.Flatten(), nn.Linear(8, 2))
    outputs = [net.forward(images) for _ in range(count)]  # GRD804
    doubled = copy.deepcopy(net).__call__(images)  # ok: that is a call
    return outputs, doubled, nn.ReLU().forward(images)  # GRD804



class Doubled(nn.Linear):
    def forward(self, x):
        return super().forward(x) * 2

    def twice(self, x):
        with torch.no_grad():
            return self(self(x))  # ok: called

    def forward_features(self, x):
        return self(x).relu()  # ok: called as well

    def narrowed(self, x):
        return torch.tanh(self(x))[:, :1]  # ok: and once more
