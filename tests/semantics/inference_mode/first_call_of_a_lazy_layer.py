# A lazy layer that was called first in inference mode has tensors that were made there.
import torch
from torch import nn

with torch.inference_mode():
    layer = nn.LazyLinear(2)
    made = layer(torch.rand(2, 4))
again = layer(torch.rand(2, 4)) if made.numel() > 99 else made
reveal(again, layer.weight)
with torch.inference_mode():
    convolution = nn.LazyConvTranspose2d(2, 2)
    made = convolution(torch.rand(2, 2, 4, 4))
after = convolution(made)
reveal(after)
