# What only an error that nobody raises leads to was told of lines that every other path passes well.
import torch

values = torch.ones(2)
for _ in range(2):
    values.mul_(2)
    try:
        values.add_(1)
        break
    except RuntimeError:
        values.requires_grad_()
reveal(values)
