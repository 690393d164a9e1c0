# A module that is cast in inference mode gets inference tensors for parameters.
import torch

norm = torch.nn.LayerNorm(2)
with torch.inference_mode():
    norm.double()
    reveal(norm.bias)
