# todo: a loop over a generator that gives one thing once is taken to get it again: a second backward through it raises.
import torch


def once():
    weight = torch.rand(1, 2, requires_grad=True)
    yield (weight * 2).sum()


for loss in once():
    loss.backward()
