"""Cases for GRD308: weights that an update turns into something else."""

import argparse

import torch
from torch import nn


def regression(steps, rate=0.1):
    w, b = torch.randn(3, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(steps):
        loss = (torch.ones(5, 3) @ w + b - 1).pow(2).mean()
        loss.backward()
        w = w - rate * w.grad  # GRD308
        b.data -= rate * b.grad
        b.grad = None
    return w, b


def regression_asked_again(steps, rate=0.1):
    w = torch.randn(3, requires_grad=True)
    for _ in range(steps):
        (torch.ones(5, 3) @ w).pow(2).mean().backward()
        with torch.no_grad():
            w = -rate * w.grad + w  # ok: asked to require grad again
        w.requires_grad_()


def regression_in_place(steps, rate=0.1):
    w = torch.randn(3, requires_grad=True)
    for _ in range(steps):
        (torch.ones(5, 3) @ w).pow(2).mean().backward()
        with torch.no_grad():
            w -= rate * w.grad
        w.grad.zero_()
        update = w.detach().clone()  # ok: another name
    return update


class Descent:
    def __init__(self, rate: float):
        self.rate = rate

    def fit(self, x, y):
        theta = torch.zeros(4, requires_grad=True)
        for epoch in range(10):
            error = ((torch.ones(8, 4) * theta).sum(1) - 1).abs().mean()
            error.backward()  # GRD404
            with torch.no_grad():
                theta = theta.sub(theta.grad, alpha=self.rate)  # GRD308

    def one_step(self):
        theta = torch.zeros(4, requires_grad=True)
        for kind in ["l1", "l2"]:
            theta = torch.zeros(4, requires_grad=True)
            theta.exp().sum().backward()
            theta = theta - self.rate * theta.grad  # ok: a new leaf in each iteration
        return theta


def adversarial(net: nn.Linear, image: torch.Tensor, epsilon, steps=5):
    adv = image.detach().clone().requires_grad_()
    for _ in range(steps):
        net(adv).sum().backward()
        adv = adv + epsilon * adv.grad.sign()  # ok: made a leaf again in the next line
        adv = adv.clamp(0, 1).detach().requires_grad_(True)
    return adv


def adversarial_without(net: nn.Linear, image: torch.Tensor, steps=5):
    adv = image.detach().clone().requires_grad_()
    for _ in range(steps):
        net(adv).sum().backward()
        adv = (adv + 0.01 * adv.grad.sign()).detach()  # GRD308


def unrolled(inner_steps):
    w = torch.ones(2, requires_grad=True)
    for _ in range(inner_steps):
        (grad,) = torch.autograd.grad(w.pow(2).sum(), w, create_graph=True)
        w = w - 0.1 * grad  # ok: the gradients come from autograd.grad
    w.sum().backward()


def retained(steps):
    w = torch.ones(2, requires_grad=True)
    for _ in range(steps):
        w.retain_grad()
        w.pow(2).sum().backward()
        w = w - 0.1 * w.grad.clone()  # ok: retains its gradient, the graph gets longer on purpose


def guarded(steps):
    w = torch.ones(2, requires_grad=True)
    for _ in range(steps):
        w.pow(2).mean().backward()
        if w.grad is not None:
            w = w - torch.ones(2)  # ok: not computed from the gradient


def last_step_only(args):
    w = torch.ones(2, requires_grad=True)
    for step in range(args.steps):
        w.grad = None
        w.exp().mean().backward()
        if step == args.steps - 1:
            w = w - args.rate * w.grad.sign()  # ok: only on one path, perhaps the last iteration


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.1)
    last_step_only(parser.parse_args())
