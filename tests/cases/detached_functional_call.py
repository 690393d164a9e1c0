"""Cases for GRD911: what a module is called with in the place of its parameters."""

import torch
import torch.nn as nn
from torch.func import functional_call, grad


def from_state_dict(x):
    net = nn.Linear(4, 1)
    out = functional_call(net, net.state_dict(), (torch.ones(2, 4),))  # GRD911
    out.sum().backward()


def detached_one_by_one():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    weights = {name: weight.detach() for name, weight in net.named_parameters()}
    loss = functional_call(net, weights, torch.ones(2, 4)).pow(2).mean()  # GRD911
    loss.backward()
    return weights


def from_parameters():
    net = nn.Linear(4, 1)
    out = functional_call(net, dict(net.named_parameters()), (torch.ones(2, 4),))  # ok: the parameters themselves
    out.mean().backward()
    return net


def inference(net: nn.Linear):
    weights = net.state_dict()
    shown = functional_call(net, weights, (torch.zeros(1, 4),))  # ok: nobody differentiates it
    with torch.no_grad():
        return shown + functional_call(net, weights, torch.ones(1, 4))  # ok: gradients are off


def by_func_grad():
    net = nn.Linear(4, 1)
    weights = {k: v.detach() for k, v in net.named_parameters()}

    def loss(weights, x):
        return functional_call(net, weights, (x,)).sum()  # ok: differentiated by its argument

    return grad(loss)(weights, torch.ones(2, 4))


def asked_again():
    net = nn.Linear(4, 1)
    fast = {k: v.clone().requires_grad_() for k, v in net.state_dict().items()}
    loss = functional_call(net, fast, (torch.ones(2, 4),), strict=True).sum()  # ok: asked to require grad
    loss.backward()
    return fast


def by_the_input():
    net = nn.Linear(4, 1)
    x = torch.ones(2, 4, requires_grad=True)
    score = functional_call(net, net.state_dict(), (x,)).max()  # ok: the input requires grad
    score.backward()
    return x.grad


class Learner:
    def __init__(self, lr):
        self.net = nn.Linear(4, 2)
        self.lr = lr

    def adapt(self, x, y):
        weights = self.net.state_dict(keep_vars=True)
        loss = nn.functional.mse_loss(functional_call(self.net, weights, (x,)), y)  # ok: the parameters are kept
        loss.backward()
        old = functional_call(self.net, self.net.state_dict(), (torch.ones(1, 4),))  # GRD911
        (old - 1).abs().sum().backward()
