"""Cases for GRD306: updates that reach a name instead of a parameter."""

import argparse

import torch
from torch import nn


class SGD:
    def __init__(self, model, lr):
        self.model, self.lr = model, lr

    def step(self):
        for p in self.model.parameters():
            if p.grad is not None:
                p = p - self.lr * p.grad  # GRD306

    def step_in_place(self):
        with torch.no_grad():
            for p in self.model.parameters():
                p.sub_(self.lr * p.grad)
                p = p.view(-1)  # GRD306

    def step_data(self):
        for p in self.model.parameters():
            p = p.data  # ok: the parameter's own memory, written below
            p -= self.lr


def fast_weights(model: nn.Linear, loss, lr=0.4):
    loss.backward()
    adapted = []
    for w in model.parameters():
        w = w - lr * w.grad  # ok: collected
        adapted.append(w)
    return adapted


def inner_loop(model: nn.Linear, lr=0.4):
    model(torch.ones(2, 4)).sum().backward()
    for name, w in model.named_parameters():
        w = w.add(w.grad, alpha=-lr)  # ok: yielded
        yield name, w


def linear_regression(steps=20):
    w, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    (w * 2 + b - 1).pow(2).sum().backward()
    for param in [w, b]:
        param = param - 1e-2 * param.grad  # GRD306
    for param in (w, b):
        before = param.detach().clone()
        param.data = param.data - 1e-2 * param.grad
        before = before - param  # ok: no name that the loop binds
    return w, b


def clipped(model: nn.Sequential, args):
    model(torch.ones(2, 4)).mean().backward()
    with torch.no_grad():
        for parameter in model.parameters():
            grad = parameter.grad.clamp(-1, 1)
            parameter = parameter - args.lr * grad  # GRD306


def printed(net: nn.Linear):
    net(torch.ones(1, 4)).sum().backward()
    for p in net.parameters():
        p = p - 0.1 * p.grad / 2  # ok: read in the next line
        print(p.norm())


def weights_by_name(steps: int):
    weights = {"w": torch.ones(2, requires_grad=True), "b": torch.zeros(1, requires_grad=True)}
    for _ in range(steps):
        (weights["w"].sum() + weights["b"]).sum().backward()
        for key, value in weights.items():
            value = value.detach() - 0.1 * value.grad  # GRD306
        for key, value in weights.items():
            value = (value - value.grad).detach().requires_grad_()  # ok: put back
            weights[key] = value


def clipped_critic(critic, limit):
    for weight in critic.parameters():
        weight = weight.clamp(-limit, limit)  # GRD306
    for weight in critic.parameters():
        weight = weight.to("cpu")  # GRD306
    for name, weight in critic.named_parameters():
        weight = weight.detach().abs()
        print(name, weight.max())
    for weight in critic.parameters():
        weight = torch.nn.Parameter(weight.data * 0.5)  # GRD306
    for buffer in critic.buffers():
        buffer = buffer * 0.5


def followed(teacher: nn.Module, student: nn.Module, momentum=0.99):
    for old, new in zip(teacher.parameters(), student.parameters()):
        old = momentum * old + (1 - momentum) * new  # GRD306
    for old, new in zip(teacher.parameters(), student.parameters()):
        old.data = momentum * old.data + (1 - momentum) * new.data


def changed_in_place(model: nn.Module):
    for p in model.parameters():
        p = p.requires_grad_(False)  # ok: the same parameter
    for p in model.parameters():
        (p, _) = p.mul_(0.9), None  # ok: written in place
    for p in model.parameters():
        p = p.detach()  # ok: read in the next line
        p.zero_()
    for p in model.parameters():
        p = torch.empty_like(p, device="meta")  # ok: the last one is returned
    return p


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    net(torch.ones(1, 4)).sum().backward()
    SGD(net, 0.1).step()
    SGD(net, 0.1).step_in_place()
    SGD(net, 0.1).step_data()
    clipped(net, parser.parse_args())
