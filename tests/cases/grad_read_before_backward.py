"""Cases for GRD202: gradients used before there are any, and where somebody may have filled them."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from elsewhere import differentiate


def linear_regression(inputs, targets, rate=0.1):
    weight = torch.randn(3, 1, requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    for _ in range(10):
        loss = F.mse_loss(inputs @ weight + bias, targets)
        with torch.no_grad():
            weight -= rate * weight.grad  # GRD202
            bias.sub_(bias.grad.mul(rate))  # GRD202
        loss.backward()  # GRD314


def other_leaf():
    first, second = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    first.pow(2).sum().backward()
    return first.grad[0] + second.grad[0]  # GRD202


class Perceptron:
    def __init__(self, args: argparse.Namespace):
        self.weight = torch.zeros(args.features, requires_grad=True)
        self.rate = args.rate

    def loss(self, inputs):
        return (inputs @ self.weight).relu().mean()

    def update(self):
        with torch.no_grad():
            self.weight -= self.rate * self.weight.grad  # ok: whoever calls this may have run backward
            self.weight.grad.zero_()  # ok: likewise

    def fit(self, inputs):
        self.loss(inputs).backward()
        self.update()


def by_a_helper(inputs):
    weight = torch.randn(3, requires_grad=True)
    differentiate((inputs * weight).sum())
    return weight.grad.norm()  # ok: the helper of another file may run backward


def run(loss):
    loss.backward()


def by_a_helper_that_is_shown():
    weight = torch.randn(3, requires_grad=True)
    run(weight.sum())
    return weight.grad.norm(p=1)  # ok: the helper runs it


def guarded(model: nn.Module):
    layer = nn.Linear(2, 2)
    if layer.weight.grad is None:  # ok: only asks whether there is one
        model(layer(torch.ones(1, 2))).sum().backward()
    return [param.grad.norm() for param in model.parameters()]  # ok: nobody knows what was done to the model


def second_pass(steps: int):
    weight = torch.zeros(2, requires_grad=True)
    for step in range(steps):
        if step > 0:
            weight.data -= weight.grad * 0.5  # ok: filled by the iteration before
        weight.exp().sum().backward()  # GRD314


def shown_first():
    weight = torch.ones(3, requires_grad=True)
    print("before", weight.grad)
    before = weight.grad  # GRD202
    weight.sum().backward()
    return before, weight.grad + 1  # ok: filled


def by_a_closure():
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight])

    def closure():
        optimizer.zero_grad()
        loss = weight.pow(2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return weight.grad.abs().max()  # ok: the closure runs it


def set_by_hand():
    weight = torch.ones(3, requires_grad=True)
    weight.grad = torch.zeros_like(weight)
    weight.grad += 1  # ok: somebody put one there
