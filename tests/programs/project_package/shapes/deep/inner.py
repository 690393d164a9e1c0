import torch

start = torch.ones(1, requires_grad=True)
