# Backward through a checkpoint of the reentrant kind reaches the parameters of what was called.
import torch
from torch.utils.checkpoint import checkpoint

layer = torch.nn.Linear(2, 2)
given = torch.ones(1, 2, requires_grad=True)
checkpoint(layer, given, use_reentrant=True).sum().backward()
reveal(layer.weight)
