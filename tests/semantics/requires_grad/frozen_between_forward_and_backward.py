# No gradient arrives at a leaf that was frozen since it was used.
import torch
import torch.nn as nn

layer = nn.Linear(2, 2)
optimizer = torch.optim.AdamW(layer.parameters(), lr=1e-3)
layer(torch.randn(3, 2)).sum().backward()
optimizer.step()
first = nn.functional.softplus(layer.weight)
layer.weight.requires_grad_(False)
first.backward(torch.ones_like(first))
layer.weight.requires_grad_(True)
second = layer(torch.randn(3, 2)).sum()
layer.bias.requires_grad = False
second.backward()
layer.bias.requires_grad = True
optimizer.zero_grad()
third = layer(torch.randn(3, 2)).sum()
layer.requires_grad_(False)
third.backward()
