# What is reduced along an `axis`, as NumPy calls it, was said to be one element.
import torch

weight = torch.randn(2, 3, requires_grad=True)
rows = weight.sum(axis=0)
reveal(rows)
columns = torch.mean(weight, axis=-1, keepdims=True)
reveal(columns)
reveal(torch.exp(x=weight))
reveal(torch.mul(x1=weight, x2=weight))
whole = weight.sum()
reveal(whole)
