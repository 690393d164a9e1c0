# What a generator has given and does not look at again is as it gave it; so is what it keeps to itself.
import torch


def values(count):
    base = torch.rand(1, 2)
    for _ in range(count):
        value = base * 2
        yield value
        reveal(base)


def losses(weight):
    for _ in range(2):
        loss = (weight * 2).sum()
        yield loss


for each in values(2):
    reveal(each)
    each.requires_grad_()
    reveal(each)
weight = torch.rand(1, 2, requires_grad=True)
for loss in losses(weight):
    reveal(loss)
    loss.backward()
    reveal(loss, weight)
