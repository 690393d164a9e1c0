"""Cases for GRD206: asked too late to keep a gradient, and asked in time."""

import torch
import torch.nn as nn


def hidden_gradient():
    weight = torch.ones(3, requires_grad=True)
    hidden = weight * 2
    hidden.sum().backward()
    hidden.retain_grad()  # GRD206
    return hidden.grad


class GradCam:
    def __init__(self, net):
        self.net = net
        self.conv = nn.Conv2d(1, 4, 3)
        self.head = nn.Linear(144, 2)

    def explain(self, image: torch.Tensor):
        features = self.conv(image)
        score = self.head(features.flatten(1))[0, 0]
        score.backward()
        assert features.retain_grad() is None  # GRD206
        weights = features.grad.mean(dim=(2, 3), keepdim=True)
        return (weights * features).sum(dim=1)

    def explain_in_time(self, image: torch.Tensor):
        features = self.conv(image)
        features.retain_grad()
        self.head(features.flatten(1)).sum().backward()
        return features.grad.mean(dim=(2, 3), keepdim=True)  # ok: retained before backward


def log_all():
    weight = torch.ones(3, requires_grad=True)
    steps = {"first": weight * 2}
    steps["second"] = steps["first"].exp()
    steps["second"].sum().backward()
    steps["first"].retain_grad()  # GRD206
    print(steps["first"].grad)


def by_autograd_grad():
    weight = torch.ones(3, requires_grad=True)
    inner = weight.pow(2)
    (gradient,) = torch.autograd.grad(inner.sum(), weight)
    (inner).retain_grad()  # GRD206
    return gradient, inner.grad


def show(hidden):
    hidden.retain_grad(), None  # GRD206
    print("gradient", hidden.grad)


def train_step():
    layer = nn.Linear(4, 4)
    hidden = torch.tanh(layer(torch.ones(2, 4)))
    hidden.pow(2).mean().backward()
    show(hidden)


def second_backward():
    weight = torch.ones(3, requires_grad=True)
    hidden = weight * 2
    loss = hidden.pow(2).sum()
    loss.backward(retain_graph=True)
    hidden.retain_grad()
    loss.backward()
    return hidden.grad.sum()  # ok: the second backward leaves it


def on_a_leaf():
    weight = torch.ones(3, requires_grad=True)
    weight.sum().backward()
    if weight.requires_grad: weight.retain_grad()  # GRD207
    return weight.grad + 1  # ok: a leaf has its gradient anyway


def each_iteration(steps=4):
    weight = torch.ones(3, requires_grad=True)
    for step in range(steps):
        hidden = weight * step
        hidden.retain_grad()
        hidden.sum().backward()
        print(step, hidden.grad[0])  # ok: a new tensor in each iteration, retained in time


def other_branch(early: bool):
    weight = torch.ones(3, requires_grad=True)
    hidden = weight.sin()
    if early:
        hidden.retain_grad()
    hidden.sum().backward()
    if not early:
        return None
    return hidden.grad.norm(p=1)  # ok: retained in time on one of the paths


def nothing_yet():
    weight = torch.ones(3, requires_grad=True)
    hidden = weight.cos()
    hidden.retain_grad()
    before = hidden.grad  # ok: None, but a backward is still to come
    hidden.sum().backward()
    return before, -hidden.grad  # ok: and here it has come


def handed_in(hidden: torch.Tensor):
    hidden.retain_grad()
    return hidden.grad is None or hidden.grad.abs()  # ok: whoever made it may run backward elsewhere


def unrelated_backward():
    weight = torch.ones(3, requires_grad=True)
    hidden = weight.exp()
    (weight * 3).sum().backward()
    hidden.retain_grad()
    hidden.mean().backward()
    return [hidden.grad]  # ok: the first backward went another way
