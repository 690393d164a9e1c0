"""Cases for GRD204: gradients that were returned and are looked for in `.grad`, and gradients that are there."""

import torch
import torch.nn as nn
from torch import autograd


class Penalised:
    def __init__(self, lr: float):
        self.critic = nn.Linear(4, 1)
        self.optimizer = torch.optim.Adam(self.critic.parameters(), lr=lr)

    def step(self, batch):
        self.optimizer.zero_grad()
        loss = self.critic(batch).mean()
        autograd.grad(loss, self.critic.parameters(), retain_graph=True)  # GRD204
        self.optimizer.step()

    def step_by_hand(self, batch):
        loss = self.critic(batch).mean()
        gradients = torch.autograd.grad(loss, list(self.critic.parameters()))
        for param, gradient in zip(self.critic.parameters(), gradients):
            param.grad = gradient
        self.optimizer.step()  # ok: what was returned was assigned

    def step_penalised(self, batch):
        batch.requires_grad_()
        score = self.critic(batch).sum()
        (slope,) = torch.autograd.grad(score, batch, create_graph=True)
        (score + slope.pow(2).sum()).backward()
        return self.optimizer.step()  # ok: backward filled them


def saliency(model: nn.Module):
    image = torch.rand(1, 3, 8, 8, requires_grad=True)
    score = model(image).max()
    torch.autograd.grad(outputs=score, inputs=image)  # GRD204
    return image.grad.abs()


def cleared_before():
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    layer.zero_grad()
    torch.autograd.grad(layer(torch.ones(3, 2)).sum(), [layer.weight], retain_graph=False)  # GRD204
    return layer.weight.grad.norm()


def saliency_returned(model: nn.Module):
    image = torch.rand(1, 3, 8, 8, requires_grad=True)
    gradient = torch.autograd.grad(model(image).max(), image)[0]
    return gradient.abs(), image.grad is None  # ok: only asks whether there is one


def both_ways():
    weight = torch.ones(2, requires_grad=True)
    loss = weight.exp().sum()
    loss.backward(retain_graph=True)
    torch.autograd.grad(loss, weight)
    return weight.grad + 0  # ok: backward has filled it as well


def kept_and_looked_for():
    weight = torch.ones(2, requires_grad=True)
    gradients = autograd.grad(weight.exp().sum(), weight)
    return gradients, [weight.grad]  # GRD204


def other_tensor():
    first, second = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    loss = (first * second).sum()
    torch.autograd.grad(loss, [first], retain_graph=True)
    loss.backward(inputs=[second])
    return -second.grad.norm()  # ok: this one was filled


def maml(model: nn.Linear, loss_of, rate=0.1):
    fast = [param - rate * g for param, g in zip(model.parameters(), autograd.grad(loss_of(), model.parameters()))]
    loss = sum(param.sum() for param in fast)
    loss.backward()
    return [param.grad for param in model.parameters()]  # ok: the outer backward fills them


def may_be_filled(step, loss):
    weight = torch.ones(2, requires_grad=True)
    torch.autograd.grad(weight.sum(), weight)
    step(weight)
    return weight.grad * 2  # ok: whoever was handed it may have filled it
