# The weights of attention, of which there may be one, were said to be several as the output is.
import torch
from torch import nn

attention = nn.MultiheadAttention(4, 2)
row = torch.rand(1, 4)
output, weights = attention(row, row, row)
reveal(output, weights)
weights.backward()
output, weights = attention(key=torch.rand(3, 4), value=torch.rand(3, 4), query=row)
reveal(output, weights)
output, weights = attention(row, row, row, need_weights=False)
reveal(output)
if weights is not None:
    output.detach_()
reveal(output)
