"""Cases for GRD309: memory that is written behind autograd's back."""

import argparse

import torch
from torch import nn, optim


class WGAN:
    def __init__(self, clip):
        self.critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
        self.optimizer = optim.RMSprop(self.critic.parameters(), lr=5e-5)
        self.clip = clip

    def step(self, real):
        self.optimizer.zero_grad()
        (-self.critic(torch.ones(4, 2)).mean()).backward()  # ok: clipped after the step
        self.optimizer.step()
        for p in self.critic.parameters():
            p.data.clamp_(-self.clip, self.clip)

    def hasty_step(self, real):
        loss = self.critic(torch.ones(4, 2)).abs().mean()
        self.critic[2].weight.data.clamp_(-self.clip, self.clip)  # GRD309
        loss.backward()


class Average:
    def __init__(self, model: nn.Module):
        self.model = nn.Linear(4, 1)
        self.shadow = nn.Linear(4, 1)

    def update(self, decay=0.99):
        loss = self.model(torch.ones(2, 4)).pow(2).mean()
        for average, current in zip(self.shadow.parameters(), self.model.parameters()):
            average.data.mul_(decay).add_(current.data, alpha=1 - decay)
        loss.backward()  # ok: the average is in no graph


def initialised():
    layer = nn.Linear(3, 3)
    layer.weight.data.normal_(0, 0.02)
    layer.bias.data.zero_()
    layer(torch.ones(1, 3)).exp().sum().backward()  # ok: written before the forward pass
    layer.weight.grad.data.clamp_(-1, 1)
    return layer


def nothing_saved():
    bias = torch.zeros(3, requires_grad=True)
    shifted = bias + 1
    shifted.data.mul_(10)
    shifted.sum().backward(retain_graph=True)  # ok: sums save nothing


def noticed():
    weight = torch.ones(3, requires_grad=True)
    scale = weight.exp()
    scale.detach().zero_()  # GRD304
    scale.sum().backward()


def noticed_by_the_handle_that_was_saved():
    weight, offset = torch.ones(3, requires_grad=True), torch.ones(3)
    handle = offset.data
    shifted = weight * handle
    handle.view(3).add_(1)  # GRD304
    (shifted + weight).mean().backward()


def rebound():
    weight = torch.ones(3, requires_grad=True)
    scale = weight.sigmoid()
    scale.data = torch.zeros(3)
    (2 * scale).sum().backward()  # ok: another memory, the saved one stays
    gate = weight.tanh()
    gate.data.copy_(torch.zeros(3))  # GRD309
    (gate * 3).sum().backward()


def straight_through(logits):
    probabilities = torch.softmax(nn.Linear(4, 4)(torch.ones(1, 4)), -1)
    hard = probabilities.clone()
    hard.data[0, 0] = 1.0
    (hard + probabilities).pow(2).sum().backward()  # ok: the copy was written before anything saved it
    probabilities = torch.softmax(nn.Linear(4, 4)(torch.ones(1, 4)), -1)
    probabilities.data[probabilities.data < 0.5] = 0.0  # GRD309
    torch.autograd.backward(probabilities.sum())


def attacked(model: nn.Linear, steps: int):
    image = torch.rand(1, 4, requires_grad=True)
    for _ in range(steps):
        loss = (model(image) * image.sum()).sum()
        torch.autograd.backward([loss])  # ok: the image is written after its backward
        image.data.add_(0.1)
        image.grad = None


def perhaps(args):
    out = nn.Linear(4, 4)(torch.ones(1, 4)).sigmoid()
    if args.prune:
        out.data[out.data < args.threshold] = 0
    out.mean().div(2).backward()  # ok: on one path only


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--prune", action="store_true")
    parser.add_argument("--threshold", type=float, default=0.1)
    perhaps(parser.parse_args())
