"""A loop far inside others that certainly runs ends whenever it is come by, and what stands behind it in the loops
around is run again; what certainly runs more than once is not over after the first time round."""

import random

import torch

grown = torch.rand(2)


def last(result):
    for _ in range(3):
        for _ in range(2):
            for _ in range(2):
                for _ in range(2):
                    pass
        result = grown * 1
        grown.requires_grad_()
    return result


result = last(torch.rand(2))
kept = torch.rand(2)
before, count = None, torch.tensor([1, 2])
for _ in range(3):
    for _ in range(2):
        for _ in range(2):
            for _ in range(2):
                pass
    before = kept
    kept = count
product = torch.rand(2)
for _ in range(1):
    product = product * kept
for factor in (product, result):
    product = product * factor
value = torch.rand(2)
while random.random() < 0.4:
    value += 1.0
    for _ in range(2):
        value.mul_(value)
        value.requires_grad = True
