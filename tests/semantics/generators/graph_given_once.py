# A loop over a generator that gives one thing once does not get it again: no second backward runs through it.
import torch


def once():
    weight = torch.rand(1, 2, requires_grad=True)
    yield (weight * 2).sum()


for loss in once():
    loss.backward()
