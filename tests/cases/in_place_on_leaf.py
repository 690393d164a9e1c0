"""Cases for GRD301: leaves written while autograd watches, and writes that it allows."""

import unittest

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim


def linear_regression(steps=10, rate=0.1):
    bias = torch.zeros(1, requires_grad=True)
    weight = torch.zeros(3, requires_grad=True)
    for _ in range(steps):
        loss = (torch.ones(5, 3) @ weight + bias - 1).pow(2).mean()
        loss.backward()  # GRD314
        with torch.no_grad():
            bias -= bias.grad * rate / 2  # ok: gradients are off
        weight -= rate * weight.grad  # GRD301
    return weight


class Projection(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.query.weight.normal_(std=0.02)  # GRD301


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.scale = nn.Parameter(torch.empty(width))
        self.register_buffer("calls", torch.zeros(1))
        nn.init.normal_(self.scale, mean=1.0)  # ok: nn.init switches gradients off itself

    def forward(self, x):
        self.calls += 1  # ok: a buffer requires no grad
        x = self.query(x)
        x *= self.scale  # ok: the result of an operation, no leaf any more
        return x


class Memory(nn.Module):
    def __init__(self, slots, width):
        super().__init__()
        self.bank = nn.Parameter(torch.zeros(slots, width))
        self.bank.data.uniform_(-1, 1)  # ok: through .data

    def forward(self, x):
        self.bank *= 0.99  # GRD301
        return x @ self.bank.t()


def copy_weights():
    source, target = nn.Linear(2, 2), nn.Linear(2, 2)
    target.weight.copy_(source.weight)  # GRD301
    return target


def masked_reset(threshold=0.5):
    scores = torch.rand(10).requires_grad_()
    scores[scores < threshold] = 0.0  # GRD301
    return scores


def activated():
    image = torch.randn(1, 3, 4, 4, requires_grad=True)
    return F.relu(image, inplace=True).sum()  # GRD301


def polyak(rate=0.01):
    online, average = nn.Linear(2, 2), nn.Linear(2, 2)
    for new, old in zip(online.parameters(), average.parameters()):
        old.mul_(1 - rate).add_(new, alpha=rate)  # GRD301
    return average


@torch.no_grad()
def reset(layer: nn.Linear):
    layer.weight.fill_(0.0)  # ok: decorated
    layer.bias.add_(1.0)  # ok: decorated, another operation


def init_weights(module):
    if isinstance(module, nn.Linear):
        module.weight.clamp_(-1, 1).div_(2.0)  # ok: every caller has gradients off


def build():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    with torch.no_grad():
        for part in model:
            init_weights(part)
    return model


def rebind(rate=0.1):
    weight = torch.ones(3, requires_grad=True)
    weight = weight - rate * torch.ones(3)
    weight.mul_(2)  # ok: a new tensor under the old name
    noise = torch.zeros(3)
    noise += weight  # ok: requires no grad when it is written
    noise.sub_(1.0)  # ok: by now the result of an operation
    return noise


def attack(image: torch.Tensor, net: nn.Linear, budget=0.1):
    perturbed = image.clone().detach().requires_grad_(True)
    net(perturbed).sum().backward()
    perturbed.data.add_(budget * perturbed.grad.sign())  # ok: through .data
    perturbed.grad.zero_()  # ok: the gradient is another tensor
    perturbed.detach().clamp_(0, 1)  # ok: detached, same memory
    return perturbed


def asked_after_filling(values):
    table = torch.empty(2, 2)
    table.copy_(torch.ones(2, 2))  # ok: asked only afterwards
    table.requires_grad_()
    previous = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    table.add_(1).exp_()  # ok: switched off by statement
    torch.set_grad_enabled(previous)
    return table


def toggled():
    scale = torch.ones(2, requires_grad=True)
    scale.requires_grad_(False)
    scale /= 2  # ok: asked not to require grad in between
    return scale.requires_grad_(True)


def with_optimizer():
    weight = torch.ones(3, requires_grad=True)
    optimizer = optim.SGD([weight], lr=0.1)
    weight.sum().backward()
    optimizer.step()
    return weight


def taken_over(old: nn.Module):
    new = nn.Linear(4, 4)
    new.weight.copy_(old.weight.t())  # ok: who moves weights about may do it with gradients off
    new.bias.normal_(std=0.02)  # GRD301
    return new


class Refusals(unittest.TestCase):
    def test_refusals(self):
        weight = torch.ones(2, requires_grad=True)
        with self.assertRaises(RuntimeError):
            weight.add_(1)  # ok: the error is what is tested
        with self.assertRaisesRegex(RuntimeError, "leaf Variable"):
            weight[0] = 1.0  # ok: here too
        weight /= weight.sum()  # GRD301


def collected_by_index(net: nn.Linear, rows):
    scores = torch.zeros(8, requires_grad=True)
    free = torch.zeros(8)
    for at, row in enumerate(rows.unbind()):
        free[at] = net(row).sum()  # ok: what it is written into does not ask for gradients
        scores[at] = net(row).square().sum()  # GRD301
    return scores + free


def scaled(config, size):
    gain = torch.ones(size)
    if config.train_gain:
        gain.requires_grad = True
    gain.mul_(config.start)  # GRD301
    return gain


def on_the_other_side(config, gain):
    start, slope = torch.ones(3), torch.zeros(2)
    start.div_(len(config.count) + 1)  # ok: before it may be asked
    if config.learned:
        start.requires_grad_()
    else:
        start.sub_(gain)  # ok: where it is not asked
    if config.sloped:
        slope.requires_grad_()
        return start, slope
    slope.clamp_(0, max=config.most)  # ok: who asks has left
    return start, slope


def asked_in_turn(data):
    x = torch.ones(3)
    for step in data:
        if step.learn:
            x.requires_grad_()
            (x * 2).sum().backward()
            x = x.detach()
        x.neg_().abs_()  # ok: by then it is another tensor
    return x


class OfNamedParts(nn.Sequential):
    def __init__(self, name):
        super().__init__()
        self.add_module("mixed", nn.Linear(3, 3))
        self.add_module(name, nn.LeakyReLU(0.2, inplace=True))


def slope_of_named_parts(name):
    judge, x = OfNamedParts(name), torch.randn(2, 3, requires_grad=True)
    return torch.autograd.grad(judge(x).sum(), x)  # ok: what comes first is not what works in place


def judged_in_place(size):
    judge = nn.Sequential(nn.Hardswish(inplace=True))
    x = torch.ones(size, requires_grad=True)
    judge(x)  # GRD301
    return x
