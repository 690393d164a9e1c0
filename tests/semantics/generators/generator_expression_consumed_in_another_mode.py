# A generator expression that was asked in another mode than it was made in, or once what it reads had changed, was not
# followed under these circumstances: what it gave was not known.
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

layer = nn.Linear(2, 2)
squares = (value * value for value in [layer.weight, layer.weight])
with torch.inference_mode():
    first = next(squares)
reveal(first)
rest = list(squares)
reveal(first, rest[0])
try:
    print(first @ layer.bias)
    print("went well")
except RuntimeError:
    print("refused")

some = torch.rand(2, 2)
soft = (F.softplus(value) for value in [some, some])
with torch.inference_mode():
    second = next(soft)
reveal(second)
try:
    second /= second.detach()
    print("went well")
except RuntimeError:
    print("refused")

weight = torch.randn(2, 2, requires_grad=True)
sums = (weight + 1.0 * scale for scale in (1.0, 2.0))
if random.random() < 0.5:
    weight.requires_grad_(False)
listed = [value for value in sums]
reveal(listed[0])

later = (weight * value for value in [torch.rand(2, 2)])
weight = torch.rand(2, 2)
for product in later:
    reveal(product)
    weight = torch.rand(2, 2, requires_grad=True)

other = torch.rand(2, 2, requires_grad=True)
both = (other * value for value in (1.0, 2.0))
for product in both:
    reveal(product)
    other = torch.rand(2, 2)


def made_elsewhere(given):
    with torch.no_grad():
        return [each for each in given]


inside = torch.rand(2, 2, requires_grad=True)
reveal(made_elsewhere(inside * value for value in (1.0, 2.0))[0])
with torch.no_grad():
    kept = (inside.exp() for _ in range(2))
reveal(sum(kept))
with torch.no_grad():
    one = (inside.exp() for _ in range(2))
    done = next(one)
reveal(done, next(one), done)
