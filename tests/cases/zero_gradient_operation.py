"""Cases for GRD605: losses behind operations of zero gradient, and those with a way around them."""

import torch
import torch.nn.functional as F
from torch import nn


class Quantiser(nn.Module):
    def __init__(self, levels, straight):
        super().__init__()
        self.levels = levels
        self.straight = straight

    def forward(self, x):
        hard = torch.round(x * self.levels) / self.levels
        return x + (hard - x).detach() if self.straight else hard


class Codec(nn.Module):
    def __init__(self, straight):
        super().__init__()
        self.encoder = nn.Linear(8, 2)
        self.decoder = nn.Linear(2, 8)
        self.quantise = Quantiser(15, straight)

    def code(self, x):
        return self.quantise(self.encoder(x))

    def forward(self, x):
        return self.decoder(self.code(x))


def step(codec, x):
    F.mse_loss(codec(x), x).backward()  # ok: the decoder is behind the rounding


def code_length():
    codec, x = Codec(False), torch.rand(3, 8)
    bits = codec.code(x).abs().sum()
    bits.backward()  # GRD605


def right_code_length():
    codec, x = Codec(True), torch.rand(3, 8)
    codec.code(x).abs().sum().backward()  # ok: straight through


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def own_backward(model: nn.Linear, x):
    RoundSTE.apply(model(x)).mean().backward()  # ok: says its own gradient


def pixels(image: torch.Tensor):
    position = nn.Parameter(torch.rand(2))
    x = position.floor()
    (x - 3).pow(2).sum().backward()  # GRD605


def interpolated(position: nn.Parameter, left, right):
    low = position.floor()
    share = position - low
    (left * (1 - share) + right * share).sum().backward()  # ok: the share keeps its gradient


def counted(model: nn.Linear, x):
    error = torch.ceil(torch.relu(model(x))).sum()
    torch.autograd.backward([error / 10])  # GRD605


def signed_step(weight: nn.Parameter, x):
    loss = (weight * x).sum()
    loss.backward(retain_graph=False)  # ok: the sign is taken of the gradient
    with torch.no_grad():
        weight -= 0.1 * weight.grad.sign()


def penalty(model: nn.Linear, x):
    out = model(x)
    near = (out - out.round().detach()).abs().mean()
    near.backward(None)  # ok: the distance to what was rounded


def both(model: nn.Linear, x, exact):
    out = model(x)
    out = out if exact else out.trunc()
    return torch.autograd.grad(out.sum(), model.weight)  # ok: on one of two paths


def in_loop(model: nn.Linear, batches):
    total = torch.zeros(())
    for x in batches:
        total = total + torch.sign(model(x)).mean()
    return torch.autograd.grad(total, list(model.parameters()))  # GRD605


def sizes(model: nn.Linear, x, step):
    size = (model(x) // step).mean()
    size.backward(gradient=torch.ones(()))  # GRD605


code_length()
right_code_length()
step(Codec(False), torch.rand(2, 8))
in_loop(nn.Linear(2, 1), [torch.ones(1, 2)])
