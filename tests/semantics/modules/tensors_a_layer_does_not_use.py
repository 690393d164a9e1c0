# A layer of torch computes with the tensors of its own; what else it was given takes no part.
import torch
from torch import nn

layer = nn.Linear(2, 2).requires_grad_(False)
layer.running_mean = torch.zeros(2, requires_grad=True)
reveal(layer(torch.randn(3, 2)))
layer.register_parameter("extra", nn.Parameter(torch.ones(2)))
reveal(layer(torch.randn(3, 2)))
norm = nn.BatchNorm1d(2, affine=False).eval()
norm.running_mean.requires_grad_()
reveal(norm(torch.randn(3, 2)))
normed = nn.utils.weight_norm(nn.Linear(2, 2, bias=False))
reveal(normed(torch.randn(3, 2)))
