"""Cases for GRD408: gradients wanted inside inference mode."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import enable_grad, inference_mode


class Guided(nn.Module):
    """Steers what it makes by the gradient of a classifier."""

    def __init__(self):
        super().__init__()
        self.classifier = nn.Sequential(nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 4))
        self.denoise = nn.Linear(8, 8)

    def forward(self, x):
        return self.denoise(x)

    def guidance(self, x, label):
        with torch.enable_grad():
            x = x.detach().requires_grad_(True)
            chosen = F.log_softmax(self.classifier(x), dim=-1)[:, label]
            return torch.autograd.grad(chosen.sum(), x)[0]  # GRD408

    @torch.inference_mode()
    def sample(self, steps=3):
        x = torch.randn(2, 8)
        for _ in range(steps):
            x = self(x) + self.guidance(x, 1)
        return x


class GuidedUnderNoGrad(Guided):
    def guidance(self, x, label):
        with torch.enable_grad():
            x = x.detach().requires_grad_(True)
            chosen = F.log_softmax(self.classifier(x), dim=-1)[:, label]
            (gradient,) = torch.autograd.grad(chosen.sum(), x)  # ok: no_grad lets gradients be enabled inside
        return gradient

    @torch.no_grad()
    def sample(self, steps=3):
        x = torch.randn(2, 8)
        for _ in range(steps):
            x = self(x) + self.guidance(x, 1)
        return x


def adapt(net: nn.Linear, batch):
    with inference_mode():
        with enable_grad():
            loss = net(torch.ones(2, 8)).var()
        loss.backward()  # GRD408
    return net.weight.grad


def adapt_outside(net: nn.Linear):
    with inference_mode():
        features = torch.ones(2, 8)
    with torch.inference_mode(False), torch.enable_grad():
        loss = net(features.clone()).var()
        (2 * loss).backward()  # ok: inference mode has ended
    return net.weight.grad


def ended_inside(net: nn.Linear):
    with torch.inference_mode():
        with torch.inference_mode(mode=False):
            loss = net(torch.ones(2, 8)).sum()
            loss.backward(retain_graph=False)  # ok: inference mode is off in this block
    return net.weight.grad


@torch.inference_mode(mode=True)
def evaluate(batches=3):
    net = nn.Linear(8, 2)
    total = 0.0
    for _ in range(batches):
        torch.set_grad_enabled(True)
        score = net(torch.ones(1, 8)).relu().sum()
        torch.autograd.backward([score])  # GRD408
        total += score.item()
    return total


def switched(net: nn.Linear, fast: bool):
    with torch.inference_mode(fast):
        with torch.set_grad_enabled(True):
            penalty = net(torch.ones(1, 8)).abs().sum()
            penalty.pow(2).backward()  # ok: inference mode may be off
    return net


def graph_from_before(net: nn.Linear):
    loss = net(torch.ones(2, 8)).mean()
    with torch.inference_mode():
        with torch.enable_grad():
            print(loss.mul(2))
    torch.autograd.backward(loss)  # ok: recorded before the block


def both_modes(net: nn.Linear):
    with torch.no_grad():
        held = net(torch.ones(2, 8))
        with torch.inference_mode():
            with torch.enable_grad():
                free = net(torch.zeros(2, 8))
        difference = (held - free).abs()
    difference.mean().backward()  # GRD408


class Evaluation:
    def __init__(self, net: nn.Linear):
        self.net = net

    @torch.inference_mode()
    def errors(self, x: torch.Tensor):
        return [self.gradient(row).norm() for row in (x, 2 * x)]

    @torch.enable_grad()
    def gradient(self, row):
        row = row.clone().requires_grad_()
        return torch.autograd.grad(self.net(row).sum(), [row])[0]  # GRD408


def saliency(net: nn.Linear, image: torch.Tensor):
    with torch.enable_grad():
        image = image.clone().requires_grad_()
        return torch.autograd.grad(net(image).sum(), image, create_graph=False)[0]  # ok: inference mode is nowhere


Guided().sample()
GuidedUnderNoGrad().sample()
