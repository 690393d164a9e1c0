# A parameter that is computed from others is computed anew for whoever looks, in the mode in which they look.
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, parametrizations, parametrize, vector_to_parameters

with torch.no_grad():
    layer = parametrizations.weight_norm(nn.Linear(2, 2))
seen = layer.weight
reveal(seen)
seen.retain_grad()
with torch.inference_mode():
    made_there = parametrizations.orthogonal(nn.Linear(2, 2))
view = made_there.weight.view(-1)
view.mul_(2)
reveal(view)
slope = nn.PReLU()
with torch.inference_mode():
    vector_to_parameters(parameters_to_vector(slope.parameters()), slope.parameters())
reveal(slope.weight)
frozen = parametrizations.weight_norm(nn.Linear(2, 2))
with torch.no_grad():
    parametrize.remove_parametrizations(frozen, "weight")
for buffer in frozen.buffers():
    reveal(buffer)
reveal(frozen.weight)
