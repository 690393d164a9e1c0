"""Cases for GRD314: updates by hand with gradients that were never cleared."""

import argparse

import torch
from torch import nn, optim


def regression(steps, rate=0.1):
    w, b = torch.randn(3, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(steps):
        loss = (torch.ones(5, 3) @ w + b - 1).pow(2).mean()
        loss.backward()  # GRD314
        with torch.no_grad():
            w -= rate * w.grad
            b -= rate * b.grad


def regression_zeroed(steps, rate=0.1):
    w, b = torch.randn(3, requires_grad=True), torch.zeros(1, requires_grad=True)
    for _ in range(steps):
        (torch.ones(5, 3) @ w + b).pow(2).mean().backward()  # ok: both are zeroed
        with torch.no_grad():
            w -= rate * w.grad
            b -= rate * b.grad
            w.grad.zero_()
            b.grad.zero_()


class SGD:
    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr

    def step(self):
        with torch.no_grad():
            for p in self.params:
                p -= self.lr * p.grad

    def zero_grad(self):
        for p in self.params:
            p.grad = None


def with_own_optimizer(args):
    model = nn.Linear(4, 1)
    optimizer = SGD(model.parameters(), args.lr)
    for _ in range(args.steps):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).mean().backward()  # ok: cleared by the optimizer's own method
        optimizer.step()


def with_own_optimizer_never_cleared(args):
    model = nn.Linear(4, 1)
    optimizer = SGD(model.parameters(), args.lr)
    for _ in range(args.steps):
        out = model(torch.ones(2, 4))
        (out * out).mean().backward()  # GRD314
        optimizer.step()


def with_optimizer(args):
    model = nn.Linear(4, 1)
    optimizer = optim.SGD(model.parameters(), lr=args.lr)
    for _ in range(args.steps):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).abs().mean().backward()  # ok: an optimizer steps and clears
        optimizer.step()


def asked_for(steps):
    w = torch.ones(2, requires_grad=True)
    for _ in range(steps):
        (grad,) = torch.autograd.grad(w.pow(2).sum(), w)  # ok: nothing is accumulated
        with torch.no_grad():
            w -= 0.1 * grad


def new_leaf(net: nn.Linear, image: torch.Tensor, steps=5):
    for _ in range(steps):
        image = image.detach().requires_grad_()
        net(image).sum().backward()  # ok: a new leaf each time
        image.data.add_(0.01 * image.grad.sign())
    return image


def adversarial(net: nn.Linear, steps=5):
    image = torch.rand(1, 4, requires_grad=True)
    for _ in range(steps):
        (-net(image).sum()).backward()  # GRD314
        image.data.add_(0.01 * image.grad.sign())
    return image


def adversarial_cleared(net: nn.Linear, steps=5):
    image = torch.rand(1, 4, requires_grad=True)
    for _ in range(steps):
        net(image).logsumexp(-1).sum().backward()  # ok: zeroed through .data
        image.data = image.data + 0.01 * image.grad.sign()
        image.grad.data.zero_()
    return image


def replaced_through_a_name(steps):
    point = torch.ones(3, requires_grad=True)
    for _ in range(steps):
        (point * point).exp().sum().backward()  # GRD314
        pull = point.grad.clone()
        point.data = (point - 0.1 * pull).detach()
    return point


def replaced_and_cleared(steps):
    point = torch.ones(3, requires_grad=True)
    for _ in range(steps):
        torch.sigmoid(point).norm(2).backward()  # ok: the gradient is given up
        pull = point.grad.clone()
        point.grad = None
        point.data = (point - 0.1 * pull).detach()
    return point


def replaced_by_the_gradient_of_another(steps):
    point, other = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    for _ in range(steps):
        (point * other).sum().backward()
        point.data = point.data - 0.1 * other.data
    return point


def read_only(steps):
    w = torch.ones(2, requires_grad=True)
    for _ in range(steps):
        w.exp().sum().backward()  # ok: only looked at, nothing is updated
        print(w.grad.norm())


def accumulated(model: nn.Linear, steps):
    weight = torch.ones(4, requires_grad=True)
    for step in range(steps):
        (model(torch.ones(2, 4)) * weight.sum()).mean().div(4).backward()  # ok: perhaps cleared on one path
        if step % 4 == 3:
            with torch.no_grad():
                weight -= 0.1 * weight.grad
            weight.grad = None


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    with_own_optimizer(args), with_own_optimizer_never_cleared(args), with_optimizer(args)


net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).requires_grad_(False)
ray = torch.randn(3, requires_grad=True)


def pull(which):
    net(ray)[which].backward()  # GRD314
    return ray.grad.clone()


def pull_anew(which):
    ray.grad = None
    net(ray).select(0, which).backward()  # ok: cleared before
    return ray.grad.clone()


def pull_of(beam):
    net(beam + 1).mean().backward()  # ok: another tensor at each call
    return beam.grad.clone()


first, second = pull(0), pull(1)
third, fourth = pull_anew(0), pull_anew(1)
fifth, sixth = [pull_of(torch.randn(3, requires_grad=True)) for _ in range(2)]


def all_slopes(steps):
    place, slopes = torch.zeros(3, requires_grad=True), []
    for _ in range(steps):
        net(place).exp().sum().backward()  # GRD314
        slopes.append(place.grad.norm())
    return slopes


def sum_of_slopes(steps):
    place = torch.zeros(3, requires_grad=True)
    for _ in range(steps):
        (net(place) ** 2).max().backward()  # ok: the sum is read in the end
    return place.grad.clone()


def two_pulls_on_a_new_point(centre, steps):
    for _ in range(steps):
        point = centre.detach().clone().requires_grad_()
        point.square().mean().backward()
        net(point).topk(1)[0].sum().backward()  # ok: both of this iteration, on a point that is made in it
        centre = centre + point.grad.sign()
    return centre


def two_pulls_cleared_behind(steps):
    point, moved = torch.zeros(3, requires_grad=True), torch.zeros(3)
    for _ in range(steps):
        point.cos().mean().backward()
        (net(point).prod() * 0.25).backward()  # ok: what both leave is cleared once it is read
        moved = moved - point.grad.tanh()
        point.grad.zero_()
    return moved


def two_pulls_never_cleared(steps):
    point, moved = torch.zeros(3, requires_grad=True), torch.zeros(3)
    for _ in range(steps):
        point.sin().mean().backward()
        net(point).logsumexp(0).backward()  # GRD314
        moved = moved * 0.5 - point.grad.sigmoid()
    return moved
