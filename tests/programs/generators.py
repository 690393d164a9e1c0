"""A generator gives what it yields, wherever it is run through."""

import torch

weight = torch.ones(3, requires_grad=True)


def batches(count):
    for index in range(count):
        yield torch.rand(3), index


for images, index in batches(2):
    reveal(images)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(index)  # number[integer]


def both():
    yield weight
    yield torch.zeros(3)


for tensor in both():
    reveal(tensor)  # Tensor[float, requires_grad=no|yes, leaf=yes]
# vague: the elements of a generator are joined
reveal(next(both()))  # Tensor[float, requires_grad=no|yes, leaf=yes]


def delegated():
    yield from both()
    yield weight.long()


for tensor in delegated():
    reveal(tensor)  # Tensor[integer|float, requires_grad=no|yes, leaf=yes]
doubled = (tensor * 2 for tensor in [weight])
reveal(next(doubled))  # Tensor[float, requires_grad=yes, leaf=no]
first, second = both()
# vague: as above
reveal(first)  # Tensor[float, requires_grad=no|yes, leaf=yes]
# vague: as above
reveal(list(both())[1])  # Tensor[float, requires_grad=no|yes, leaf=yes]
