# A generator whose every way comes by one yield gives once, to a function, from a class and in each round of a loop.
import torch


def once():
    weight = torch.rand(1, 2, requires_grad=True)
    yield (weight * 2).sum()


def run(losses):
    for loss in losses:
        loss.backward()


run(once())


class Source:
    def __init__(self, last):
        self.last = last

    def __iter__(self):
        weight = torch.rand(1, 2, requires_grad=True)
        if self.last:
            yield weight.exp().sum()
        else:
            yield weight.mul(2).sum()


for loss in Source(True):
    loss.backward()
for _epoch in range(2):
    for loss in once():
        loss.backward()


def twice():
    weight = torch.rand(1, 2, requires_grad=True)
    loss = weight.exp().sum()
    yield loss
    yield loss


for loss in twice():
    loss.backward()
