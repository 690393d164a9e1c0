# What takes the place of a moved buffer with gradients off does not require grad as the buffer did.
import torch
from torch import nn

layer = nn.BatchNorm1d(2)
layer.running_mean.requires_grad = True
with torch.no_grad():
    layer.double()
reveal(layer.running_mean)
kept = nn.BatchNorm1d(2)
kept.running_mean.requires_grad = True
with torch.no_grad():
    kept.float()
reveal(kept.running_mean)
normed = nn.utils.spectral_norm(nn.Linear(2, 2))
with torch.no_grad():
    normed.weight_u.requires_grad = True
    normed.double()
reveal(normed.weight_u)
