"""Cases for GRD506: gradients with graphs that are stored, and those that are handed back."""

import argparse

import torch
from torch import nn, optim


def taken_off_its_graph():
    weight = torch.ones(2, requires_grad=True)
    weight.pow(5).sum().backward(create_graph=True)  # ok: the gradient lets go of its graph below
    weight.grad.detach_()
    return weight.grad


taken_off_its_graph()


def second_order(model: nn.Linear, optimizer, batches):
    for batch in batches:
        optimizer.zero_grad()
        model(batch).pow(2).mean().backward(create_graph=True)  # ok: the next pass clears what this one leaves
        optimizer.step()
    optimizer.zero_grad()
    model(batches[0]).pow(2).mean().backward(create_graph=True)  # GRD506
    optimizer.step()


line = nn.Linear(2, 1)
second_order(line, optim.SGD(line.parameters(), lr=0.1), [torch.ones(3, 2), torch.ones(4, 2)])


def penalty():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    x = torch.ones(2, 4, requires_grad=True)
    model(x).sum().backward()  # ok: no graph of the gradient
    model(x).mean().backward(create_graph=False)  # ok: said so
    model(x).exp().sum().backward(retain_graph=True)  # ok: keeps the graph, makes none
    (grad,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)  # ok: handed back
    model(x).prod().backward(create_graph=True)  # GRD506
    return grad.norm() + x.grad.norm()


class Hessian:
    def __init__(self, model: nn.Linear):
        self.model = model

    def trace(self, x):
        loss = self.model(x).pow(2).sum()
        torch.autograd.backward(loss, create_graph=True)  # GRD506
        grads = [p.grad for p in self.model.parameters()]
        return sum(g.norm() for g in grads)

    def scaled(self, x, scaler: torch.amp.GradScaler):
        scaler.scale(self.model(x).abs().sum()).backward(retain_graph=True, create_graph=True)  # GRD506


def option(args):
    weight = torch.ones(2, requires_grad=True)
    weight.exp().sum().backward(create_graph=args.second_order)  # ok: nobody knows
    weight.grad.sum().backward(gradient=torch.ones(()), create_graph=True)  # GRD506


def by_position():
    weight = torch.ones(2, requires_grad=True)
    weight.pow(3).sum().backward(None, None, True)  # GRD506


def meta(steps):
    weight = torch.ones(2, requires_grad=True)
    for _ in range(steps):
        inner = weight.pow(2).sum()
        grads = torch.autograd.grad(inner, [weight], create_graph=True)  # ok: unrolled by hand
        (weight - grads[0]).sum().backward(inputs=[weight])  # ok: an ordinary backward over them


def cleared_to_zeros():
    model = nn.Linear(3, 1)
    model(torch.ones(1, 3)).norm().backward(create_graph=True)  # ok: `zero_grad()` detaches what it fills with zeros
    model.zero_grad(set_to_none=False)


def filled_with_zeros():
    weight = torch.ones(2, requires_grad=True)
    weight.pow(4).sum().backward(create_graph=True)  # GRD506
    weight.grad.zero_()


def test_second_order():
    weight = torch.ones(3, requires_grad=True)
    weight.log().sum().backward(create_graph=True)  # ok: a test is soon over
    assert weight.grad.requires_grad


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--second-order", action="store_true")
    option(parser.parse_args())
