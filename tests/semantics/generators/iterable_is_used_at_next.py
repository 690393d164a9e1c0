# What a generator expression runs over is used when it is asked for something, not when it is made.
import torch

layer = torch.nn.Linear(2, 1)
under = layer.parameters()
over = (parameter * 2 for parameter in under)
reveal(under)
total = sum(value.sum() for value in over)
reveal(under, over)
some = layer.parameters()
asked = any(parameter.requires_grad for parameter in some)
reveal(some)
most = layer.parameters()
largest = max(parameter.numel() for parameter in most)
reveal(most)
both = layer.parameters()
listed = [value for value in tuple(parameter * 2 for parameter in both)]
reveal(both)
first = layer.parameters()
second = next(parameter * 2 for parameter in first)
reveal(first)
