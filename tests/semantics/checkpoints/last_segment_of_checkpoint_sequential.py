# The last part of `checkpoint_sequential` is recorded even where the input requires no grad.
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint_sequential

model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
given = torch.rand(2, 2)
result = checkpoint_sequential(model, 2, given, use_reentrant=True)
reveal(result)
result.sum().backward()
reveal(model[0].weight, model[2].weight)
