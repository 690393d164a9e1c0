"""The functions of `itertools` hand elements on."""

import itertools
from itertools import chain, cycle, islice, product, repeat, starmap, tee, zip_longest

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)
whole = torch.arange(3)

for item in chain([weight], [whole]):
    reveal(item)  # Tensor[integer|float, requires_grad=no|yes, leaf=yes]
for item in itertools.chain.from_iterable([[weight], [weight]]):
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
for left, right in zip_longest([weight], [plain, plain], fillvalue=plain):
    reveal(left)  # Tensor[float, requires_grad=no|yes, leaf=yes]
    reveal(right)  # Tensor[float, requires_grad=no, leaf=yes]
for item in islice(cycle([weight]), 2):
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
for left, right in product([weight], [plain]):
    reveal(left)  # Tensor[float, requires_grad=yes, leaf=yes]
    reveal(right)  # Tensor[float, requires_grad=no, leaf=yes]
for left, right in itertools.combinations([weight, weight], 2):
    reveal(left)  # Tensor[float, requires_grad=yes, leaf=yes]
one, two = tee([weight])
reveal(next(one))  # Tensor[float, requires_grad=yes, leaf=yes]
for item in repeat(weight, 2):
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
for item in starmap(lambda a, b: a * b, [(weight, plain)]):
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=no]
for item in itertools.accumulate([weight, weight]):
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=no|yes]
for key, group in itertools.groupby([weight], key=lambda t: t.dim()):
    for item in group:
        reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
for item in itertools.takewhile(lambda t: t.requires_grad, [weight]):
    reveal(item)  # Tensor[float, requires_grad=yes, leaf=yes]
for index, item in zip(itertools.count(), [weight]):
    reveal(index)  # number[integer]
