# How many numbers lie between two, and how large a tensor is that is given its sizes or another, was not known.
import torch
from torch import nn

steps = torch.range(0, 2, requires_grad=True)
nn.init.zeros_(steps)
reveal(steps, torch.arange(3.0), torch.arange(0, 1, 0.1), torch.arange(5, 3, -1))
sized = torch.Tensor(2, 3)
reveal(sized, torch.FloatTensor(2), torch.Tensor(torch.rand(2, 2)), nn.Buffer(torch.rand(2, 2)))
reveal(torch.scalar_tensor(1.0), torch.asarray([[1.0, 2.0]]))
steps.backward()
