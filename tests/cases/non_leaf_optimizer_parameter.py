"""Cases for GRD713: what optimizers are built over, leaf or not."""

import argparse
import math

import torch
import torch.nn as nn


class Prompt(nn.Module):
    def __init__(self, length=4, width=8):
        super().__init__()
        self.tokens = nn.Parameter(torch.randn(length, width) * 0.02)
        self.scale = torch.ones(1, requires_grad=True) * math.sqrt(width)
        self.body = nn.Linear(width, 2)

    def forward(self, x):
        return self.body(x + self.tokens.mean(0) * self.scale)


def prompt_tuning():
    prompt = Prompt()
    optimizer = torch.optim.AdamW(prompt.parameters(), lr=1e-3)  # ok: parameters are leaves
    scaled = torch.optim.AdamW([prompt.tokens, prompt.scale])  # GRD713
    return optimizer, scaled


class Attack:
    def __init__(self, model: nn.Module, steps=10):
        self.model = model
        self.steps = steps

    def run(self, image: torch.Tensor):
        delta = torch.zeros(1, 8, requires_grad=True)
        optimizer = torch.optim.SGD([delta], lr=0.1)  # ok: a leaf
        for _ in range(self.steps):
            optimizer.zero_grad()
            self.model(image + delta).sum().backward()
            optimizer.step()
        return delta.detach()

    def run_clamped(self, image: torch.Tensor):
        delta = torch.rand(1, 8, requires_grad=True).clamp(0, 0.1)
        optimizer = torch.optim.Adam(params=[delta], lr=0.1)  # GRD713
        return optimizer

    def run_on(self, image: torch.Tensor):
        adversarial = image + 0.1
        return torch.optim.SGD([adversarial], 0.1)  # ok: whether the image requires grad is not known

    def run_detached(self):
        delta = torch.rand(1, 8, requires_grad=True).tanh().detach().requires_grad_()
        return torch.optim.SGD((delta,), lr=0.01)  # ok: detached, and asked again


def latents(count=3):
    codes = [torch.randn(8, requires_grad=True) * 0.01 for _ in range(count)]
    optimizer = torch.optim.Adam(codes)  # GRD713
    leaves = [torch.randn(8).mul(0.01).requires_grad_() for _ in range(count)]
    return optimizer, torch.optim.Adam(leaves, lr=0.5)  # ok: asked at the end


def meta_step(net: nn.Linear):
    fast = net.weight - 0.1 * net.weight.detach()
    optimizer = torch.optim.SGD([fast], lr=0.1, differentiable=True)  # ok: takes non-leaves
    kept = net.weight * 2
    kept.retain_grad()
    return optimizer, torch.optim.SGD([kept], lr=0.2)  # ok: a tensor that retains its gradient is taken


def moved(device: str):
    weight = torch.ones(3, requires_grad=True).to(device)  # GRD120
    return torch.optim.RMSprop([weight])  # ok: the same leaf where it is on that device already


def one_way(half: bool):
    weight = torch.ones(3, requires_grad=True)
    if half:
        weight = weight * 0.5
    return torch.optim.Adagrad([weight], eps=1e-8)  # ok: a leaf on the other way


def with_groups(net: nn.Linear):
    bias = nn.Parameter(torch.zeros(2)).exp()
    groups = [{"params": [net.weight]}, {"params": bias, "lr": 0.1}]
    return torch.optim.NAdam(groups, lr=1e-4)  # GRD713


def learned_or_not(config):
    start = torch.zeros(2, requires_grad=True)
    moved = start.log1p()
    return torch.optim.Rprop([moved], differentiable=config.unroll)  # ok: takes what is no leaf, where it is asked to


class Clipped(torch.optim.SGD):
    def __init__(self, params, limit=1.0, **options):
        super().__init__(params, **options)  # GRD713
        self.limit = limit


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    start = torch.linspace(0, 1, 5, requires_grad=True) ** 2
    return Clipped([start], lr=args.lr)


if __name__ == "__main__":
    main()
