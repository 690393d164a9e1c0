# What a lazy layer makes at its first call in inference mode was said to be no inference tensors.
import torch
from torch import nn

norm = nn.LazyBatchNorm1d()
layer = nn.LazyLinear(2)
with torch.inference_mode():
    norm(torch.rand(2, 2))
    layer(torch.rand(2, 2))
reveal(norm.running_mean, norm.num_batches_tracked, norm.weight)
reveal(layer.weight, layer.bias)
plain = nn.LazyBatchNorm1d()
plain(torch.rand(2, 2))
reveal(plain.running_mean, plain.weight)
