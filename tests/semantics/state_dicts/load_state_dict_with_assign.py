# A state that is assigned takes the place of parameters and buffers: they ask as before, buffers are what was loaded.
import copy

import torch
from torch import nn

norm = nn.BatchNorm1d(2)
before = norm.weight
asking = {key: value.clone().requires_grad_(value.is_floating_point()) for key, value in norm.state_dict().items()}
norm.load_state_dict(asking, assign=True)
reveal(norm.weight, norm.running_mean, before)
for parameter in norm.parameters():
    reveal(parameter)
for buffer in norm.buffers():
    reveal(buffer)
with torch.inference_mode():
    layer = nn.Linear(2, 2)
layer.load_state_dict(copy.deepcopy(layer.state_dict()), assign=True)
reveal(layer.weight)
for value in layer.state_dict().values():
    reveal(value)
with torch.no_grad():
    layer.weight.add_(1)
reveal(layer.weight)
frozen = nn.Linear(2, 2).requires_grad_(False)
frozen.load_state_dict(nn.Linear(2, 2).state_dict(), assign=True)
reveal(frozen.weight, frozen(torch.ones(1, 2)))
plain = nn.Linear(2, 2, bias=False)
with torch.inference_mode():
    plain.load_state_dict({key: value.clone() for key, value in plain.state_dict().items()}, assign=True)
reveal(plain(torch.randn(3, 2)))
