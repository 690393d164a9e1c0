# An iterator may run over the one that bore its name before, and that over another.
import torch

waiting = iter([torch.ones(2), torch.zeros(2, requires_grad=True)])
for _ in range(3):
    waiting = (each * 2 for each in waiting)
for each in waiting:
    reveal(each)
mapped = iter([torch.ones(2), torch.zeros(2, requires_grad=True)])
for _ in range(3):
    mapped = map(torch.neg, mapped)
reveal(list(mapped)[0])
reveal(list(mapped))
