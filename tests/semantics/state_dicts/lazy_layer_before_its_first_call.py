"""The state of a lazy layer that was not called yet holds the parameters themselves."""

import torch
from torch import nn

for layer in (nn.LazyLinear(2), nn.Sequential(nn.LazyLinear(2))):
    state = layer.state_dict()
    layer(torch.rand(2, 2)).sum().backward()
    for value in state.values():
        print(value.sum())
    state = layer.state_dict()
