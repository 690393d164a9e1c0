"""A factory that is given `out=` fills that very tensor, whatever it would make else."""

import torch

leaf = torch.rand(2, requires_grad=True)
result = leaf * 1
plain = torch.rand(2)
counted = torch.arange(2, out=plain)
whole = torch.full((2,), 1, out=torch.empty(0))
saved = plain * leaf
drawn = torch.randperm(2, out=plain)
with torch.no_grad():
    zeros = torch.zeros(2, out=leaf)
    ones = torch.ones(2, out=result)
print(zeros, ones)
try:
    torch.rand(2, out=leaf)
except RuntimeError:
    print(leaf)
saved.sum().backward()
