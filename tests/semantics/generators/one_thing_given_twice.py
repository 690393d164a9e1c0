# What a generator gives twice is changed by the loop between: what it holds then is not as it gave it.
import torch


def values():
    for _ in range(2):
        value = torch.rand(1, 2)
        yield value
        reveal(value)
        yield value


for each in values():
    each.requires_grad_()
