# Parameters and buffers are handles of their own on an inference tensor: what was made outside of that mode may be
# written.
import torch

with torch.inference_mode():
    made = torch.ones(2)
    inside = torch.nn.Buffer(made)
weight = torch.nn.Parameter(made, requires_grad=False)
buffer = torch.nn.Buffer(made)
weight.mul_(2.0)
buffer.mul_(2.0)
reveal(weight, buffer, inside)
try:
    inside.mul_(2.0)
except RuntimeError as error:
    reveal(error)
