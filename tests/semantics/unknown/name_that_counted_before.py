# what was done with a tensor shows nothing of what its name stands for once it has held a number.
import torch

same = eval("lambda one: one")

total = torch.ones(2, requires_grad=True).sum()
total.backward()
total = 0
for _ in range(2):
    total = same(total)
    reveal(total)
