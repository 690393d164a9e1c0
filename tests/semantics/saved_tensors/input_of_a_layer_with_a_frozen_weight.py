# A layer does not save its input where only its bias is trained.
import torch
from torch import nn

layer = nn.Linear(2, 2)
layer.weight.requires_grad_(False)
given = torch.rand(3, 2)
loss = layer(given).sum()
loss.backward()
given.add_(1)
loss.backward()
reveal(layer.weight, layer.bias, loss)
