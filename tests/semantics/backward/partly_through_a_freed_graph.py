# Some gradients may arrive before a backward misses what an earlier one has freed.
import torch

first = torch.ones(2, requires_grad=True)
second = torch.ones(2, requires_grad=True)
spent = (first * first).sum()
spent.backward()
kept = (second * second).sum()
try:
    (kept + spent).backward()
    reveal(first)
except RuntimeError:
    reveal(second)
reveal(first, second)
