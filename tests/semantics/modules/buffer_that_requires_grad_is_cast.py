# A buffer that was asked to require grad is replaced by what a move of its module computes from it.
from torch import nn

layer = nn.BatchNorm1d(2)
layer.running_mean.requires_grad = True
for _ in range(3):
    reveal(layer.running_mean)
    layer.double()
